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
    Entry("trust", "Allow the commands of this repository to run.", "trust"),
    Entry("adopt", "Take over state that you have not made here.", "adopt"),
    Entry("agents", "Show the profiles, what each has done, and who would be chosen.", "agents"),
    Entry("notify", "Tell who is told of what; send a notice to try it.", "notify"),
    Entry("workflow", "List, show, check, draw and write workflows.", "workflow"),
    Entry("plan", "Show the stories of a piece of work before it is run.", "plan"),
    Entry("run", "Hand over a piece of work and watch it land.", "run"),
    Entry("status", "Show where a run stands.", "status"),
    Entry("stories", "List the stories of a run.", "stories"),
    Entry("diff", "Show what a story has changed.", "diff"),
    Entry("notes", "Show what a run has learnt.", "notes"),
    Entry("logs", "Show what an agent did in an attempt.", "logs"),
    Entry("resume", "Go on with a run that was interrupted or paused, or has reached its limit.", "resume"),
    Entry("answer", "Answer the question of a story that waits for you.", "answer"),
    Entry("approve", "Say yes to a story that waits for you.", "approve"),
    Entry("reject", "Say no to a story that waits for you.", "reject"),
    Entry("pause", "Let nothing new begin until the run is resumed.", "pause"),
    Entry("cancel", "End a run or one of its stories.", "cancel"),
    Entry("retry", "Have another go at a story that failed.", "retry"),
    Entry("add", "Add a story to a run.", "add"),
    Entry("edit", "Change what is asked of a story that nobody works on.", "edit"),
    Entry("reorder", "Say which stories start first.", "reorder"),
    Entry("undo", "Take back what a story has landed.", "undo"),
    Entry("proof", "Show what proves that a story is done, and check it again.", "proof"),
    Entry("report", "Tell a run as a Markdown document.", "report"),
    Entry("export", "Print a run as workflow_state.json.", "export"),
    Entry("gc", "Clean up after runs that are over.", "gc"),
)

WORKFLOW_COMMANDS: Final = (
    Entry("list", "List the workflows there are.", "workflow_list"),
    Entry("show", "Show a workflow.", "workflow_show"),
    Entry("validate", "Check a workflow file.", "workflow_validate"),
    Entry("graph", "Draw a workflow.", "workflow_graph"),
    Entry("new", "Write a commented workflow file to begin with.", "workflow_new"),
    Entry("schema", "Print the JSON Schema of workflow files.", "workflow_schema"),
)
