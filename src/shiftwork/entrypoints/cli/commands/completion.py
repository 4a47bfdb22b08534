"""`shiftwork completion`: the script that completes commands and options in a shell."""

import click
from click.shell_completion import get_completion_class

from shiftwork.entrypoints.cli.group import group
from shiftwork.errors import UsageError

INSTALL = {
    "bash": 'eval "$(shiftwork completion bash)"',
    "zsh": 'eval "$(shiftwork completion zsh)"',
    "fish": "shiftwork completion fish | source",
}
_VARIABLE = "_SHIFTWORK_COMPLETE"


@click.command("completion", short_help="Print the completion of commands and options for a shell.")
@click.argument("shell", metavar="bash|zsh|fish")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(shell: str, *, as_json: bool) -> None:
    """Print a script that completes commands, options and their values.

    Add this line to the start-up file of your shell. For bash (~/.bashrc): eval "$(shiftwork completion bash)". For
    zsh (~/.zshrc): eval "$(shiftwork completion zsh)". For fish (~/.config/fish/config.fish): shiftwork completion
    fish | source.
    """
    made = get_completion_class(shell)
    if made is None or shell not in INSTALL:
        raise UsageError(f"there is no completion for {shell}", hint=f"one of: {', '.join(INSTALL)}")
    script = made(group, {}, "shiftwork", _VARIABLE).source()
    if as_json:
        from shiftwork.app.views.documents.commands.setup_documents import Completion  # noqa: PLC0415 - most callers want the script
        from shiftwork.entrypoints.cli.render.json import say  # noqa: PLC0415 - as above

        say(Completion(shell=shell, install=INSTALL[shell], script=script))
    else:
        click.echo(script)
