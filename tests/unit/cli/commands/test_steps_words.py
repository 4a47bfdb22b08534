"""What `shiftwork steps` says of a word that is none of its commands."""

import click
import pytest

from shiftwork.entrypoints.cli.commands.steps import command

KNOWN = "show, add, split, skip, reorder, edit, restart"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["US-001", "nope"], f"there is no command 'nope' for the steps of US-001; there are {KNOWN}"),
        (["US-001", "skip", "review"], "the command stands before the story: shiftwork steps skip US-001"),
        (["ad", "US-001", "coding", "x"], "there is no command 'ad'; did you mean add?"),
    ],
)
def test_the_word_that_is_wrong_is_the_one_that_is_named(words: list[str], said: str) -> None:
    with pytest.raises(click.UsageError) as refused:
        command.main(words, standalone_mode=False)
    assert refused.value.message == said
