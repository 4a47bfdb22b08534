"""The commands, as `--help` lists them: a name, a line of help, a module. Imports none of them."""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Entry(NamedTuple):
    """A command; its module is `commands.<module>` and defines `command`."""

    name: str
    help: str
    module: str


GROUPS: Final[Mapping[str, tuple[Entry, ...]]] = {
    "Start": (
        Entry("demo", "See it work in a throw-away repository: no key, no network.", "demo"),
        Entry("init", "Write a shiftwork.toml with the checks this project already has.", "init"),
        Entry("doctor", "Check whether everything that a run needs is available.", "doctor"),
        Entry("plan", "Show the stories of a piece of work before it is run.", "plan"),
        Entry("run", "Hand over a piece of work and watch it land.", "run"),
        Entry("serve", "Work on the runs that are handed over, without a terminal.", "serve"),
        Entry("import", "Read files of other tools, and write what a run needs.", "import_files"),
    ),
    "Watch": (
        Entry("status", "Show where a run stands.", "status"),
        Entry("board", "Print a link that opens the web board.", "web_board"),
        Entry("stories", "List the stories of a run.", "stories"),
        Entry("logs", "Show what an agent did in an attempt.", "logs"),
        Entry("diff", "Show what a story has changed.", "diff"),
        Entry("proof", "Show what proves that a story is done, and check it again.", "proof"),
        Entry("report", "Print a run as a Markdown document, or write it as an HTML file.", "report"),
        Entry("notes", "Show what a run has learnt.", "notes"),
    ),
    "Decide": (
        Entry("answer", "Answer the question of a story.", "answer"),
        Entry("approve", "Approve a story that needs your approval.", "approve"),
        Entry("reject", "Reject a story that needs your approval.", "reject"),
        Entry("retry", "Retry a story that failed.", "retry"),
        Entry("undo", "Revert what a story has landed.", "undo"),
        Entry("check", "Run the gates that landings have skipped.", "check_owed"),
    ),
    "Steer": (
        Entry("pause", "Start nothing new until the run is resumed.", "pause"),
        Entry("resume", "Continue a run that was interrupted, paused or at its limit.", "resume"),
        Entry("cancel", "End a run or one of its stories.", "cancel"),
        Entry("add", "Add a story to a run.", "add"),
        Entry("edit", "Change a story that is not in progress.", "edit"),
        Entry("reorder", "Choose which stories start first.", "reorder"),
        Entry("steps", "Show the steps of a story, or change those still to run.", "steps"),
    ),
    "Set up": (
        Entry("trust", "Allow the commands of this repository to run.", "trust"),
        Entry("config", "List, explain, change and check the settings.", "config"),
        Entry("agents", "Show the profiles, their record, and which would be chosen.", "agents"),
        Entry("workflow", "List, show, check, draw and write workflows.", "workflow"),
        Entry("mcp", "Offer plan, start, status, wait, answer and cancel to other agents.", "mcp"),
        Entry("notify", "Show who is notified of which events; --test sends a test.", "notify"),
        Entry("token", "Create, list and revoke tokens for the HTTP API.", "token"),
        Entry("schema", "Print the JSON Schema of what --json prints.", "schema_show"),
        Entry("completion", "Print the completion of commands and options for a shell.", "completion"),
        Entry("help", "List the commands, or explain one; --all leaves nothing out.", "help_show"),
        Entry("adopt", "Take over state that was not created here.", "adopt"),
    ),
    "Maintain": (
        Entry("export", "Print a run as workflow_state.json.", "export"),
        Entry("gc", "Clean up after finished runs.", "gc"),
        Entry("uninstall", "List everything written on this machine, and remove it.", "uninstall"),
    ),
}
"""The commands by what one wants to do, in the order in which a new user needs them."""

COMMANDS: Final = tuple(entry for entries in GROUPS.values() for entry in entries)

_FIRST_DAY: Final = (
    "demo init doctor plan run",
    "status logs diff",
    "answer approve retry resume",
)
FIRST_DAY: Final = tuple(
    next(entry for entry in COMMANDS if entry.name == name) for names in _FIRST_DAY for name in names.split()
)
"""What `--help` lists: the commands that a first day needs."""

WORKFLOW_COMMANDS: Final = (
    Entry("list", "List all workflows.", "workflow_list"),
    Entry("show", "Show a workflow.", "workflow_show"),
    Entry("validate", "Check a workflow file.", "workflow_validate"),
    Entry("graph", "Draw a workflow.", "workflow_graph"),
    Entry("new", "Write a commented workflow file to start from.", "workflow_new"),
    Entry("schema", "Print the JSON Schema of workflow files.", "workflow_schema"),
)

CONFIG_COMMANDS: Final = (
    Entry("list", "List all settings with their values and where these come from.", "config_list"),
    Entry("get", "Print the value of a setting.", "config_get"),
    Entry("explain", "Say what a setting means and which values it takes.", "config_explain"),
    Entry("set", "Change a setting in shiftwork.toml.", "config_set"),
    Entry("unset", "Remove a setting from shiftwork.toml.", "config_unset"),
    Entry("validate", "Check shiftwork.toml and the variables.", "config_validate"),
)

STEPS_COMMANDS: Final = (
    Entry("show", "Show the steps of a story.", "steps_show"),
    Entry("add", "Add a step to a story.", "steps_add"),
    Entry("split", "Replace a step by several.", "steps_split"),
    Entry("skip", "Skip a step of a story.", "steps_skip"),
    Entry("reorder", "Choose which steps of a story run first.", "steps_reorder"),
    Entry("edit", "Change the description of a step.", "steps_edit"),
    Entry("restart", "Start the running step again.", "steps_restart"),
)

TOKEN_COMMANDS: Final = (
    Entry("create", "Create a token and print it, once.", "token_create"),
    Entry("list", "List the tokens, without their words.", "token_list"),
    Entry("revoke", "Revoke a token.", "token_revoke"),
)

_STREAM: Final = ("event", "result")

PRINTS: Final[Mapping[str, tuple[str, ...]]] = {
    "demo": ("board", *_STREAM),
    "init": ("init",),
    "doctor": ("doctor",),
    "plan": (*_STREAM, "plan"),
    "run": (*_STREAM, "dry-run"),
    "import": ("import",),
    "serve": ("event", "server", "server-stop"),
    "board": ("board",),
    "status": ("run", "runs"),
    "stories": ("stories", "stories-of-runs"),
    "logs": ("log", "event", "gate-log"),
    "diff": ("diff",),
    "proof": ("proof", "proof-check"),
    "report": ("report",),
    "notes": ("notes",),
    "answer": ("reply", *_STREAM),
    "approve": ("reply", *_STREAM),
    "reject": ("reply", *_STREAM),
    "retry": ("receipt", *_STREAM),
    "undo": ("event", "undo"),
    "check": ("owed-gates",),
    "pause": ("receipt",),
    "resume": ("receipt", *_STREAM),
    "cancel": ("cancellation", "receipt"),
    "add": ("receipt", *_STREAM),
    "edit": ("receipt",),
    "reorder": ("receipt",),
    "steps show": ("steps",),
    "steps add": ("step-edit",),
    "steps split": ("step-edit",),
    "steps skip": ("step-edit",),
    "steps reorder": ("step-edit",),
    "steps edit": ("step-edit",),
    "steps restart": ("step-edit",),
    "trust": ("trust", "gate-trust"),
    "agents": ("agents",),
    "workflow list": ("workflows",),
    "workflow show": ("workflow",),
    "workflow validate": ("workflow-check",),
    "workflow graph": ("workflow-graph",),
    "workflow new": ("workflow-file",),
    "workflow schema": ("json-schema",),
    "notify": ("channels",),
    "schema": ("json-schema", "schemas"),
    "config list": ("settings",),
    "config get": ("setting",),
    "config explain": ("setting-meaning",),
    "config set": ("setting-set",),
    "config unset": ("setting-unset",),
    "config validate": ("settings-check",),
    "mcp": ("mcp",),
    "token create": ("token",),
    "token list": ("tokens",),
    "token revoke": ("token-revoked",),
    "completion": ("completion",),
    "help": ("help",),
    "adopt": ("adoption",),
    "export": ("export",),
    "gc": ("cleaning",),
    "uninstall": ("uninstall",),
}
"""The kinds of documents that a command prints with `--json`, besides `error`; see `app.views.documents.catalogue`."""
