"""`shiftwork steps`: shows and edits the steps of a story; each command is imported when it is called."""

from collections.abc import Sequence
from typing import NoReturn

import click

from shiftwork.entrypoints.cli.group import LazyGroup, nearest
from shiftwork.entrypoints.cli.registry import STEPS_COMMANDS


class StepsGroup(LazyGroup):
    """`steps STORY` is short for `steps show STORY`."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = [entry.name for entry in self.entries]
        words = [word for word in args if not word.startswith("-")]
        # A second word that is no option belongs to a command: the first is then a mistyped one.
        alone = len(words) == 1 or (len(words) > 1 and args[1] in {"--run", "--json"})
        if args and args[0] not in known and alone:
            return super().resolve_command(ctx, ["show", *args])
        if len(words) > 1 and args[:2] == words[:2] and not {args[0], nearest(args[0], known)} & set(known):
            _refuse(ctx, words, known)  # the first word is a story
        return super().resolve_command(ctx, args)


def _refuse(ctx: click.Context, words: Sequence[str], known: Sequence[str]) -> NoReturn:
    story, wanted, *_ = words
    if wanted in known:
        ctx.fail(f"the command stands before the story: shiftwork steps {wanted} {story}")
    ctx.fail(f"there is no command {wanted!r} for the steps of {story}; there are {', '.join(known)}")


@click.group(
    "steps",
    cls=StepsGroup,
    groups={"Commands": STEPS_COMMANDS},
    short_help="Show the steps of a story, or change them.",
)
def command() -> None:
    """Show the steps of a story, or change those that have not run yet: shiftwork steps US-003 shows them.

    The rules are those for agents: a mandatory step cannot be skipped, final_review stays last, finished steps stay as
    they are, and a story has at most 30 steps. STEP is an id such as step-005, or a name that only one step has. A
    change takes effect before the next step begins, and is recorded; if no process works on the run, when it continues.
    A step that is running can only be restarted.
    """
