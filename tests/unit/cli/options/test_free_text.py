"""Empty texts are refused before anything else is checked, in every option that takes free text."""

import pytest
from click.testing import CliRunner

from shiftwork.entrypoints.cli.group import group
from shiftwork.errors import UsageError

ADD = ("add", "A title")


@pytest.mark.parametrize("blank", ["", "  ", "…", "..."])
@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (("answer", "US-001"), "the text is empty", 'answer US-001 "your own words"'),
        (("add",), "the title is empty", 'add "your own words"'),
        ((*ADD, "--description"), "--description is empty", 'add TITLE --description "your own words"'),
        ((*ADD, "--criterion", "good", "--criterion"), "--criterion is empty", None),
        (("edit", "US-001", "--title"), "--title is empty", 'edit STORY --title "your own words"'),
        (("edit", "US-001", "--description"), "--description is empty", None),
        (("edit", "US-001", "--criterion"), "--criterion is empty", None),
        (("approve", "US-001", "--because"), "--because is empty", None),
        (("reject", "US-001", "--because"), "--because is empty", 'reject STORY --because "your own words"'),
        (("run",), "the request is empty", 'run "what you want done"'),
        (("plan",), "the request is empty", 'plan "what you want done"'),
    ],
)
def test_nothing_is_not_taken_for_words(words: tuple[str, ...], message: str, hint: str | None, blank: str) -> None:
    ended = CliRunner().invoke(group, [*words, blank], prog_name="shiftwork")
    assert isinstance(ended.exception, UsageError)
    assert ended.exception.message == message
    if hint:
        assert ended.exception.hint == f"shiftwork {hint}"
