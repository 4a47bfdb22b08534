"""The commands, as `--help` lists them: a name, one line, a module. Reading this imports none of them."""

from typing import Final, NamedTuple


class Entry(NamedTuple):
    """One command; its module is `commands.<module>` and holds it under the name `command`."""

    name: str
    help: str
    module: str


COMMANDS: Final = (
    Entry("demo", "See it work in a throw-away repository: no key, no network, under a minute.", "demo"),
    Entry("init", "Write a commented shiftwork.toml with the checks this project already has.", "init"),
    Entry("doctor", "Tell whether everything that a run needs is there.", "doctor"),
    Entry("run", "Hand over a piece of work and watch it land.", "run"),
    Entry("status", "Show where a run stands.", "status"),
    Entry("stories", "List the stories of a run.", "stories"),
    Entry("diff", "Show what a story has changed.", "diff"),
    Entry("logs", "Show what an agent did in an attempt.", "logs"),
    Entry("resume", "Go on with a run that was interrupted or has reached its limit.", "resume"),
    Entry("cancel", "End a run for good.", "cancel"),
    Entry("report", "Tell a run as a Markdown document.", "report"),
    Entry("export", "Print a run as workflow_state.json.", "export"),
    Entry("gc", "Clean up after runs that are over.", "gc"),
)
