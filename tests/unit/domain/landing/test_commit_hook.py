"""Which check of commit messages a commit brings along, and what its answer means."""

import pytest

from shiftwork.domain.landing.commit_hook import (
    MESSAGE_FILE,
    Accepted,
    Denied,
    HookAnswer,
    files_to_read,
    find_hook,
    judged_form,
)
from shiftwork.domain.landing.commit_message import sample_forms
from shiftwork.domain.landing.commit_style import CommitStyle

PLAIN, EXECUTABLE = "100644", "100755"
PRE_COMMIT = ".pre-commit-config.yaml"


def found(*paths: str, folder: str = "", mode: str = PLAIN, **texts: str) -> str:
    """The name of the hook in force."""
    named = {"package": "package.json", "pre_commit": PRE_COMMIT}
    modes = dict.fromkeys(paths, mode) | {named[name]: PLAIN for name in texts}
    hook = find_hook(modes, {named[name]: text for name, text in texts.items()}, folder)
    return hook.name if hook else ""


def test_a_project_without_any_has_none() -> None:
    assert not found()
    assert not found(
        "src/commit-msg", "docs/.gitlint", "web/commitlint.config.js", package="{}", pre_commit="repos: []"
    )


def test_the_hook_that_git_would_run_is_in_force_if_it_may_run() -> None:
    own = ".githooks/commit-msg"
    assert found(own, "commitlint.config.js", folder=".githooks", mode=EXECUTABLE) == own
    assert found(own, folder=".githooks") == ""
    assert found(own, mode=EXECUTABLE) == ""
    assert found("commit-msg", folder=".", mode=EXECUTABLE) == "commit-msg"


@pytest.mark.parametrize("folder", ["", ".husky", ".husky/_"])
def test_a_hook_of_husky_is_in_force_wherever_git_looks(folder: str) -> None:
    assert found(".husky/commit-msg", ".gitlint", folder=folder) == ".husky/commit-msg"


def test_a_hook_of_husky_is_run_as_its_starter_runs_it() -> None:
    script, program = (find_hook({".husky/commit-msg": mode}, {}, "") for mode in (PLAIN, EXECUTABLE))
    assert script
    assert script.command.endswith(f" sh -e .husky/commit-msg {MESSAGE_FILE}")
    assert program
    assert program.command.endswith(f" ./.husky/commit-msg {MESSAGE_FILE}")


@pytest.mark.parametrize(
    ("text", "is_hook"),
    [
        ("repos: [{repo: local, hooks: [{id: words, stages: [commit-msg]}]}]", True),
        ("default_install_hook_types:\n- pre-commit\n- commit-msg\n", True),
        ("repos:\n- repo: x\n  hooks:\n  - id: commitizen\n", True),
        ("repos:\n- repo: x\n  hooks:\n  - id: 'conventional-pre-commit'\n", True),
        ("repos:\n- repo: x\n  hooks:\n  - id: ruff\n# stages: [commit-msg]\n", False),
    ],
)
def test_pre_commit_is_asked_if_it_has_a_hook_for_messages(text: str, *, is_hook: bool) -> None:
    assert found(pre_commit=text) == (PRE_COMMIT if is_hook else "")


@pytest.mark.parametrize(
    "name", [".commitlintrc", ".commitlintrc.yml", "commitlint.config.mjs", "commitlint.config.ts"]
)
def test_settings_of_commitlint_are_a_hook(name: str) -> None:
    assert found(name) == name


def test_commitlint_may_be_set_up_in_package_json() -> None:
    assert found(package='{"commitlint": {"extends": []}}') == "package.json"
    assert not found(package='{"devDependencies": {"@commitlint/cli": "1"}, "scripts": {"x": "commitlint"}}')


def test_gitlint_is_asked_where_it_has_settings() -> None:
    assert found(".gitlint") == ".gitlint"


def test_only_files_whose_text_decides_are_read() -> None:
    assert files_to_read({"a.py": PLAIN, "package.json": PLAIN, PRE_COMMIT: PLAIN}) == (PRE_COMMIT, "package.json")


# Answers ---------------------------------------------------------------------------------------------------------

OURS = "feat: add a sample\n\nShiftwork-Run: r1/US-001\nShiftwork-Unproved: a doubt"


def judged(message: str, *, accepted: bool = True, output: str = "") -> Accepted | Denied:
    return judged_form(OURS, HookAnswer(hook="hook", accepted=accepted, message=message, output=output))


def test_an_accepted_message_lands_as_it_is() -> None:
    assert judged(f"{OURS}\n") == Accepted(message=OURS)


def test_a_message_that_the_hook_has_changed_lands_changed_with_our_trailers() -> None:
    signed = OURS.replace("\n\n", "\n\nA body.\n\n") + "\nChange-Id: I1\n"
    assert judged(signed) == Accepted(message=signed.strip())


@pytest.mark.parametrize(
    "changed",
    [
        "feat: add a sample",
        f"{OURS}\n\nChange-Id: I1",
        OURS.replace("r1", "r2"),
        OURS.replace("\nShiftwork-Unproved: a doubt", ""),
        OURS.replace("\n\n", "\n\nShiftwork-Run: r2/US-002\n\n"),
        OURS.replace("feat", "revert"),
        f"{OURS}\nshiftwork-run: r2/US-002",
        f"{OURS}\nShiftwork-Run : r2/US-002",
        OURS.replace("\n\n", "\n\nShiftwork-Gates: test\n\n"),
        OURS.replace("\n\n", "\n\nThis reverts commit 0123456789.\n\n"),
        "",
    ],
)
def test_a_changed_message_that_hides_where_the_commit_comes_from_is_refused(changed: str) -> None:
    refused = judged(changed)
    assert isinstance(refused, Denied)
    assert "hook changed the commit message `feat: add a sample`" in refused.why
    assert "Shiftwork-Run: r1/US-001" in refused.why


def test_a_refusal_has_the_words_of_the_hook() -> None:
    assert judged(OURS, accepted=False, output="\nno ticket\n") == Denied(
        message=OURS, why="hook refused the commit message `feat: add a sample`:\nno ticket"
    )
    silent = judged(OURS, accepted=False)
    assert isinstance(silent, Denied)
    assert silent.why.endswith("it printed nothing")


# Forms -----------------------------------------------------------------------------------------------------------


def test_the_second_form_is_as_short_as_it_can_be() -> None:
    first, second = sample_forms(CommitStyle(), "feat")
    assert first == ("feat: US-001 - Add a sample\n\nIt shows how commits are worded.\n\nShiftwork-Run: sample/US-001")
    assert second == "feat: add a sample\n\nShiftwork-Run: sample/US-001"


def test_a_team_s_own_template_only_loses_its_body() -> None:
    forms = sample_forms(CommitStyle(template="[{id}] {title}\n\n{body}\n\nRefs: {id}"), "feat")
    assert [form.partition("\n")[0] for form in forms] == ["[US-001] Add a sample"] * 2
    assert "how commits are worded" not in forms[1]
    assert "Refs: US-001" in forms[1]


def test_without_a_body_there_is_one_form() -> None:
    assert len(sample_forms(CommitStyle(template="{title}"), "feat")) == 1
