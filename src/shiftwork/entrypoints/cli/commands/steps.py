"""`shiftwork steps`: shows and edits the steps of a story; each command is imported when it is called."""

import click

from shiftwork.entrypoints.cli.group import LazyGroup
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
        return super().resolve_command(ctx, args)


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
