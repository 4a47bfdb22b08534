"""An answer's signals are whole lines, outside code fences if there are any; everything else is text."""

import pytest

from shiftwork.prompts.answer.contract import KEYS_LIMIT, SUMMARY_LIMIT, VALUE_LIMIT, Answer, Asked, parse
from shiftwork.prompts.lengths import size

PROMISE = "<promise>COMPLETE</promise>"


def test_an_answer_without_signals_says_nothing() -> None:
    assert parse("") == parse("I did it all.\nReally.") == Answer()


@pytest.mark.parametrize(
    "heading",
    [
        "SUMMARY:",
        "Summary:",
        "summary:",
        "## SUMMARY",
        "## Summary",
        "# summary:",
        "###### Summary  ",
        "## **Summary**",
        "## **Summary**:",
        "## **Summary:**",
        "**SUMMARY**",
        "**SUMMARY**:",
        "**Summary:**",
        "- SUMMARY:",
        "1. **Summary:**",
        "SUMMARY\uff1a",
    ],
)
def test_every_form_of_summary_is_found(heading: str) -> None:
    assert parse(f"Work.\n\n{heading}\nfirst\nsecond\n").summary == "first\nsecond"


@pytest.mark.parametrize("heading", ["SUMMARY:", "## Summary:", "**Summary**:", "**Summary:**", "**Summary**"])
def test_a_summary_may_begin_on_the_line_of_its_heading(heading: str) -> None:
    assert parse(f"{heading} first\nsecond").summary == "first\nsecond"


@pytest.mark.parametrize(
    "line",
    [
        "In SUMMARY: text",
        " SUMMARY: text",
        "> SUMMARY: text",
        "-SUMMARY: text",
        "SUMMARY text",
        "## Summary of changes",
        "##Summary",
        "####### Summary",
        "**Summary of it**",
        "SUMMARY_OF: text",
        "`SUMMARY:` text",
    ],
)
def test_what_only_looks_like_a_summary_is_text(line: str) -> None:
    assert parse(f"{line}\ntext").summary == ""


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("SUMMARY: a\nSTATUS: done", "a"),
        ("SUMMARY:\na\n\n## Details\nb", "a"),
        (f"SUMMARY: a\n{PROMISE}", "a"),
        ("SUMMARY: old\nSUMMARY: new", "new"),
        ("SUMMARY: kept\n\nSUMMARY:\n\n", "kept"),
        ("SUMMARY: kept\nSUMMARY:\nSTATUS: done", "kept"),
        ("## Summary\n\n### Changed\n- x\n### Open\n- y", "### Changed\n- x"),
        ("## Summary\n### Changed", "### Changed"),
        ("SUMMARY: ran\n```\nSTATUS: done\n# no heading\n```\nend", "ran\n```\nSTATUS: done\n# no heading\n```\nend"),
        ("SUMMARY:\r\na\r\nb\r\n", "a\nb"),
        ("SUMMARY:\ra\rb", "a\nb"),
        ("SUMMARY: #hashtag\n#1 is fixed", "#hashtag\n#1 is fixed"),
    ],
)
def test_where_a_summary_ends(answer: str, expected: str) -> None:
    assert parse(answer).summary == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("BRANCH: main", [("branch", "main")]),
        ("BRANCH:main", [("branch", "main")]),
        ("BRANCH:", [("branch", "")]),
        ("PLAN: a\nb\n\nc\n", [("plan", "a\nb\n\nc")]),
        ("PLAN:\n## One\ntext\nNEXT: x", [("plan", "## One\ntext"), ("next", "x")]),
        ("PLAN: a\nSUMMARY: s\nNEXT: b", [("plan", "a"), ("next", "b")]),
        (f"PLAN: a\n{PROMISE}\ntext", [("plan", "a")]),
        ("PLAN: a\nNEXT: b\nPLAN: c", [("next", "b"), ("plan", "c")]),
        ("CODE:\n```\nNO_KEY: x\n```\nKEY: y", [("code", "```\nNO_KEY: x\n```"), ("key", "y")]),
        ("STATUS: done", [("status", "done")]),
        ("X: {{task}}", [("x", "{{task}}")]),
        ("STORIES_JSON: []\nSTORY_BLOCKED: x\nSTORY_COMPLETE: US-1", []),
        ("Branch: main", []),
        (" BRANCH: main", []),
        ("> BRANCH: main", []),
        ("_BRANCH: main", []),
        ("KEY2: x", []),
        ("HTTP://x\nC:\\x\nSTD::x", []),
        (f"{'A' * 65}: x", []),
    ],
)
def test_lines_with_keys_become_outputs(answer: str, expected: list[tuple[str, str]]) -> None:
    assert list(parse(answer).outputs) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("STATUS: done", "done"),
        ("STATUS: RETRY", "retry"),
        ("STATUS: blocked.", "blocked"),
        ("STATUS: **done**", "done"),
        ("STATUS: done, all of it", "done"),
        ("STATUS:\ndone", "done"),
        ("STATUS:\n\n**STATUS:** done\nSTATUS: done", "done"),
        ("STATUS: retry\nSTATUS: done", None),
        ("STATUS: done|retry", None),
        ("STATUS: not done", None),
        ("STATUS:", None),
        ("the STATUS: done", None),
        ("```\nSTATUS: done\n```", "done"),
        ("SUMMARY: x\n```\nSTATUS: done\n```", None),
        ("", None),
    ],
)
def test_status(text: str, expected: str | None) -> None:
    assert parse(text).status == expected


@pytest.mark.parametrize(
    "text",
    [
        PROMISE,
        f"Done.\n\n{PROMISE}\n",
        f"  {PROMISE} \t",
        f"text\r\n{PROMISE}\r\n",
        f"```\ncode\n```\n{PROMISE}",
        f"~~~\n```\n~~~\n{PROMISE}",
        f"```not a fence```\n{PROMISE}",
    ],
)
def test_a_promise_on_a_line_of_its_own_counts(text: str) -> None:
    assert parse(text).promise


@pytest.mark.parametrize(
    "text",
    [
        f"I will write {PROMISE} when done",
        f"{PROMISE}.",
        f"**{PROMISE}**",
        f"`{PROMISE}`",
        f"> {PROMISE}",
        f'"{PROMISE}"',
        f"    {PROMISE}",
        f"- {PROMISE}",
        "<promise>complete</promise>",
        "<promise>\nCOMPLETE\n</promise>",
        f"```\n{PROMISE}\n```",
        f"```text\n{PROMISE}\n```",
        f"  ~~~\n{PROMISE}\n~~~",
        f"````\n```\n{PROMISE}\n```\n````",
        f"~~~\n```\n{PROMISE}\n~~~",
        f"```\n``` x\n{PROMISE}\n```",
        f"```\nnever closed\n{PROMISE}",
    ],
)
def test_a_promise_anywhere_else_does_not(text: str) -> None:
    assert not parse(text).promise


def test_a_printed_prompt_in_a_fence_is_no_signal_at_all() -> None:
    printed = f"STATUS: done\nSTORY_COMPLETE: US-1\nSTORY_BLOCKED: no\nSUMMARY: x\n{PROMISE}"

    assert parse(f"I read this:\n```md\n{printed}\n```\n") == Answer()


PLAN = Asked(keys=frozenset({"plan", "files"}), choices={"decision": frozenset({"yes", "no"})})


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("**PLAN:** a\n- FILES: b", {"plan": "a\n- FILES: b"}),
        ("- PLAN: a\n**FILES:** b", {"plan": "a", "files": "b"}),
        ("Plan: a\nFiles: b", {"plan": "a", "files": "b"}),
        ("PLAN: a\nFiles: b", {"plan": "a\nFiles: b"}),
        ("**PLAN:** a\nFiles: b", {"plan": "a\nFiles: b"}),
        ("PLAN: a\n**PLAN:** b", {"plan": "a\n**PLAN:** b"}),
        ("## PLAN: a\n## OTHER: b", {"plan": "a\n## OTHER: b"}),
        ("Summary: s\nPlan: a\nIssues: none", {"plan": "a\nIssues: none"}),
        ("Issues: none\nSummary: s", {"issues": "none"}),
        ("Other: x", {}),
        ("**OTHER:** x", {}),
        ("Decision: yes", {"decision": "yes"}),
        ("Decision: yes, because", {}),
        ("**DECISION:** yes, because", {"decision": "yes, because"}),
        ("PLAN:\n- DECISION: yes\n- b", {"plan": "- DECISION: yes\n- b", "decision": "yes"}),
        ("PLAN:\n- DECISION: use it\n- b", {"plan": "- DECISION: use it\n- b"}),
    ],
)
def test_other_forms_count_for_what_is_asked_and_outside_of_other_values(answer: str, expected: dict[str, str]) -> None:
    assert dict(parse(answer, PLAN).outputs) == expected


@pytest.mark.parametrize(
    "answer",
    [
        PROMISE,
        f"Done.\n{PROMISE}\n\n",
        f"{PROMISE}\nSUMMARY: x",
        f"## STATUS: done\n{PROMISE}\n- SUMMARY: x",
        f"```\nSUMMARY: x\n```\n{PROMISE}",
        f"```\nSUMMARY: x\n{PROMISE}\n```",
    ],
)
def test_a_promise_at_the_end_says_that_the_work_is_finished(answer: str) -> None:
    assert parse(answer).finished


@pytest.mark.parametrize("answer", [f"{PROMISE}\nis not for me", f"{PROMISE}\n## Open\nmuch", "SUMMARY: x"])
def test_a_promise_with_prose_after_it_does_not(answer: str) -> None:
    assert not parse(answer).finished


def test_different_values_of_a_choice_are_a_conflict() -> None:
    said = parse("DECISION: yes\n**DECISION:** no\nSTATUS: done\nStatus: blocked", PLAN)

    assert said.conflicts == ("STATUS: done and STATUS: blocked", "DECISION: yes and DECISION: no")
    assert said.status is None


def test_a_blocked_story_gives_its_reason() -> None:
    assert parse("STORY_BLOCKED: needs a key\nfor the API\nSUMMARY: s").blocked == "needs a key\nfor the API"


def test_a_complete_story_gives_its_id() -> None:
    assert parse("STORY_COMPLETE: US-001 (all of it)").complete == "US-001"
    assert parse("STORY_COMPLETE:").complete == ""


def test_long_texts_are_bounded_and_say_so() -> None:
    found = parse(f"PLAN: {'a' * 90_000}\nSUMMARY: {'b' * 90_000}")

    assert size(found.summary) <= SUMMARY_LIMIT
    assert size(found.outputs[0][1]) <= VALUE_LIMIT
    assert "characters left out here]" in found.summary
    assert "characters left out here]" in found.outputs[0][1]


def test_of_too_many_keys_the_last_are_kept() -> None:
    keys = [f"{chr(65 + n // 26)}{chr(65 + n % 26)}" for n in range(300)]
    found = parse("\n".join(f"{key}: {key}" for key in keys)).outputs

    assert [value for _, value in found] == keys[-KEYS_LIMIT:]


def test_what_cannot_be_stored_does_not_leave_the_parser() -> None:
    found = parse("A: x\0\ud800y")

    assert found.outputs == (("a", "x\ufffd?y"),)
