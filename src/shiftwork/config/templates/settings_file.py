"""The settings file that `shiftwork init` writes: every key with its default, and the reason to change it."""

import json
import re
from collections.abc import Mapping
from textwrap import fill
from typing import Final

from shiftwork.config.agents.kinds import AGENTS, DEFAULT_AGENT
from shiftwork.config.detection.found import Detected, FoundGate

_HEAD: Final = """\
# Settings of shiftwork for this repository. Every key is optional; what is commented out shows the default.
# The command `shiftwork doctor` shows what is in force.
"""

_GATES: Final = """
# Gates: commands whose exit code decides. They run on the exact commit that will land, in a tree no agent has touched;
# nothing lands unless all of them pass. Order matters only for speed: put the quick ones first.
# A gate with more settings is a table: test = { command = "make test", minutes = 40 }. Its other keys:
#   cwd = "packages/api"      the folder in which it runs
#   paths = ["packages/api/**"]  it only runs for changes there, and for the last story of a run
#   kind = "test" or "other"  if its name and its command do not show whether it runs tests
#   blind = "allow"           accept it although it does not notice broken product sources; every view,
#                             commit and certificate then says that this gate proved nothing
[gates]
"""

_REST: Final = """
[agent]
{use}# program = ""              # how the agent is called; empty: {programs}
# command = ""              # for "acp": the agent's command line, such as "npx -y @agentclientprotocol/codex-acp";
                            # for "command": a shell command; prompt on stdin, answer on stdout
# model = ""                # empty: the agent's own default
# tools = true              # offer the agent tools to read its task and edit its own steps
# silence_minutes = 10      # an agent that prints nothing for so long is stopped
# time_factor = 1.0         # multiplies the time limits of all steps
# max_output_mib = 32       # an agent that prints more in one attempt is stopped
# identical_calls = 12      # an agent that calls a tool so often in a row with the same input is stopped
# env = []                  # names of environment variables to pass on to the agent, such as "ANTHROPIC_API_KEY"
# hosts = []                # hosts it may call from the sandbox beside its model, such as "docs.example.com"; agents of
                            # the kinds {unlimited} keep this machine's network until you list hosts
# choose = "fixed"          # "learn": for each story the agent (this or a profile below) that has landed the most
                            # for its cost so far; `shiftwork agents` explains
# fallback = []             # profiles that continue, in this order, while this agent is at a rate limit

# More agents, by names that workflows may use for their roles (`profile: thorough`); keys as under [agent].
# [profiles.thorough]
# use = "codex"
# model = ""

[run]
{workflow} # by name or path, as `shiftwork workflow list` shows them; empty: "auto"
# parallel = 3              # how many stories are in progress at once, each in a workspace of its own; unless you
                            # set this, stories of which none states a dependency are worked on one after the other
# keep_going = false        # whether they continue after a story that failed

[workspace]
{setup}# setup_minutes = 15        # how long that may take
# keep = []                 # build output that git ignores, such as "target", to keep for the next check:
                            # faster, but one story's leftovers there can affect the gates of the next
# branch = ""               # the branch to start from and to land on; empty: the current branch
# env = []                  # names of environment variables to pass on to setup and gates

[landing]
# batch = 16                # how many finished stories land together at most; fewer while many of them fail
# at_once = 2               # how many of their commits are checked at a time
# proof = "each"            # the gates run on "each" commit that lands; or only on the "tip" of a batch: fewer runs
# review = false            # hold every story after its gates have passed, until you approve it
# later_files = "leave_out"  # files that would run on your machine later (.claude, .vscode, hooks, CI) and that the
                            # story did not ask for: left out and kept as a patch; "hold": the story needs your
                            # approval; "land": they land and are reported

[limits]
# run_usd = 50.0            # cost limit of the whole run; at the limit it stops and asks you; left out: no limit
# story_usd = 5.0           # the same for each story
# step_usd = 2.0            # and for each step
# run_tokens = 50000000     # tokens, read and written, for the whole run; left out: no limit
# story_tokens = 5000000    # the same for each story
# step_tokens = 2000000     # and for each step
# run_sessions = 60         # sessions of agents for the whole run; left out: no limit
# story_sessions = 12       # the same for each story
# attempt_usd = 2.0         # reserved for an attempt of a kind that the run has not seen, if there is a limit
# attempt_tokens = 2000000  # the same in tokens
# repairs = 2               # how often a change that failed its gates is sent back; never after an empty repair
# conflicts = 3             # how often conflicts with newly landed work are sent back
# wait_hours = 6            # how long to wait for an agent's rate limit at a time, whatever the agent reports
# waits = 20                # how often a step may hit a limit that should have ended, before it fails

[proof]
# policy = "trusting"       # evidence is checked and recorded; "cited" and "strict" refuse to land without it
# hosts = []                # hosts that url steps of a spec may call, beside this machine
# protect = []              # globs of tests and gate configuration; empty: those of well-known tools. If a story
                            # changes any, gates run a second time with the base's version, and must pass both
# protect_policy = "restore"  # or "report": only report such changes
# escalate = ""             # the profile that repairs a change when a repair has left the same failure

# What agents and gates can reach on this machine; shiftwork doctor shows whether this works here.
[sandbox]
# tier = "auto"             # "bubblewrap" (Linux): they see the system, your tools and their own tree, and write to
                            # that alone; "none": they run with your rights; "auto": bubblewrap where it works, else
                            # none, and a line says so
# memory_gb = 12            # memory of an attempt, gate or setup command in a sandbox, with all its processes;
                            # default: three quarters of the machine's memory
# processes = 2000          # how many processes
# disk_gb = 20              # how much it may add to its folders

[sandbox.agents]
# network = "auto"          # "auto": {limited} reach their own model alone, other agents all of the
                            # network until hosts are listed for them; true: all of it; false: none
# hosts = []                # hosts agents may call beside their model, such as "docs.example.com", "*.example.org",
                            # "127.0.0.1:8080"; without a port, 80 and 443; see also hosts under [agent]
# ports = []                # ports of services on this machine that they reach on localhost, such as 5432
# readable = []             # more files they may read, such as "~/.aws"
# writable = []             # more files they may change: another agent's own folder, such as "~/.gemini"

[sandbox.gates]
# network = "auto"          # "auto": each gate has as little network as it needs, and you are asked before a gate
                            # gets this machine's; true: all of it; false: none
# hosts = []                # empty: see network; else only these; the setup command may call them too
# ports = []                # ports of services on this machine that gates reach on localhost, such as 5432
# readable = []             # more files gates and the setup command may read
# writable = []             # more files they may change, such as a cache

[sandbox.setup]
# hosts = []                # hosts it may call beside the package registries in force, such as "github.com"

# Notifications for you while you are away; off by default. They need pip install 'shiftwork[notify]';
# `shiftwork notify --test` sends a test.
[notify]
# urls = []                 # apprise addresses, such as "ntfy://topic"; addresses with a password are
                            # better in the environment: SHIFTWORK_NOTIFY_URLS, separated by spaces
# on = ["needs-you", "finished", "failed", "budget"]  # the occasions
# webhook = { url = "", secret_env = "SHIFTWORK_WEBHOOK_SECRET" }  # a POST, signed with the secret in that variable

[store]
# url = ""                  # empty: a file in .git/shiftwork; or postgresql://user@host:port/name, which
                            # needs pip install 'shiftwork[postgres]'
"""

_SETUP_COMMENT: Final = "# prepares the environment of a fresh tree, before agents and gates run"

SETUP: Final = "setup"
"""The name of the setup command in `red`."""


def settings_file(detected: Detected, red: Mapping[str, str] | None = None, *, workflow: str = "") -> str:
    """The text of a `shiftwork.toml` with the detected commands. It reads back as exactly these, without those in
    `red`: gates and the setup command that failed, by name, each with the reason, which becomes a comment. A `workflow`
    is the one that runs use.
    """
    reasons = red or {}
    gates = "".join(_gate(gate, reasons.get(gate.name, "")) for gate in detected.gates)
    nothing = '# No gates found: without a gate, shiftwork only checks that something changed.\n# test = "make test"\n'
    rest = _REST.replace("{setup}", _setup(detected.setup, reasons.get(SETUP, ""))).replace(
        "{workflow}", f"workflow = {_quoted(workflow)}" if workflow else '# workflow = ""            '
    )
    return _HEAD + _GATES + (gates or nothing) + _with_agents(rest)


def _with_agents(text: str) -> str:
    kinds = AGENTS.items()
    return (
        text.replace("{use}", _use())
        .replace("{programs}", ", ".join(_quoted(kind.program) for kind in AGENTS.values() if kind.program))
        .replace("{unlimited}", " and ".join(_quoted(name) for name, kind in kinds if kind.addresses is None))
        .replace("{limited}", " and ".join(name for name, kind in kinds if kind.addresses is not None))
    )


def _use() -> str:
    *others, last = (f"{_quoted(name)} {kind.suits}".rstrip() for name, kind in AGENTS.items())
    key = f"# use = {_quoted(DEFAULT_AGENT)}"
    text = f"which agent works: {', '.join(others)}, or {last}"
    return fill(text, 119, initial_indent=f"{key:<27} # ", subsequent_indent=f"{'':<27} # ") + "\n"


def _gate(gate: FoundGate, reason: str) -> str:
    keys = ", ".join(f"{key} = {_quoted(value)}" for key, value in gate.table.items())
    line = f"{_key(gate.name)} = {f'{{ {keys} }}' if gate.kind else _quoted(gate.command)}"
    return f"# {line}  # {_comment(reason)}\n" if reason else f"{line}  # from {_comment(gate.source)}\n"


def _setup(command: str, reason: str) -> str:
    if reason:
        return f"# setup = {_quoted(command)}  # {_comment(reason)}\n"
    line = f"setup = {_quoted(command)}" if command else '# setup = ""'
    return f"{line:<27} {_SETUP_COMMENT}\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def _quoted(text: str) -> str:
    """As a TOML string: JSON's escapes are valid in TOML, once DEL is escaped too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(text: str) -> str:
    """On a single line, without the characters that TOML forbids in a comment."""
    return "".join(char if char.isprintable() else " " for char in text)
