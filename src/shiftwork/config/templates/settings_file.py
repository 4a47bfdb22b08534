"""The settings file that `shiftwork init` writes: every key with its default, and why one would change it."""

import json
import re
from collections.abc import Mapping
from typing import Final

from shiftwork.config.detection.found import Detected, FoundGate

_HEAD: Final = """\
# Settings of shiftwork for this repository. Every key is optional; what is commented out shows the default.
# The command `shiftwork doctor` tells what is in force.
"""

_GATES: Final = """
# Gates: commands whose exit code decides. They run on the exact commit that is to land, in a tree no agent has touched;
# nothing lands unless all of them pass. Order matters only for speed: put the quick ones first.
# A gate with more to say is a table: test = { command = "make test", minutes = 40 }. Its other keys:
#   kind = "test" or "other"  where its name and its command do not show whether it runs tests
#   blind = "allow"           it may count though it does not notice when the product's sources are broken; every view,
#                             commit and certificate says then that this gate proved nothing
[gates]
"""

_REST: Final = """
[agent]
# use = "claude-code"       # which agent works: "claude-code", "codex", "acp" for any that speaks the Agent Client
                            # Protocol, or "command" for any program of your own
# program = ""              # how Claude Code or Codex is called; empty: "claude", "codex"
# command = ""              # for "acp": the agent's command line, such as "npx -y @agentclientprotocol/codex-acp";
                            # for "command": a shell command; prompt on stdin, answer on stdout
# model = ""                # empty: the agent's own default
# tools = true              # offer the agent the tools by which it reads its task and edits its own steps
# silence_minutes = 10      # an agent that prints nothing for so long is ended
# time_factor = 1.0         # stretches the time limits of all steps
# max_output_mib = 32       # an agent that prints more in one attempt is ended
# identical_calls = 12      # an agent that calls a tool so often in a row with the same input is ended
# env = []                  # names of environment variables to pass on to the agent, such as "ANTHROPIC_API_KEY"
# hosts = []                # in the sandbox, what it may call beside its model, such as "docs.example.com"; an agent of
                            # the kinds "acp" and "command" keeps this machine's network until they are listed
# choose = "fixed"          # "learn": for each story that one of this agent and the profiles below which lands the most
                            # for the money so far; `shiftwork agents` explains
# fallback = []             # profiles that go on, in this order, while this agent is at a rate limit

# More agents, by names that workflows may use for their roles (`profile: thorough`); keys as under [agent].
# [profiles.thorough]
# use = "codex"
# model = ""

[run]
# workflow = ""             # by name or path, as `shiftwork workflow list` shows them; empty: "dynamic"
# parallel = 3              # how many stories are in progress at once, each in a workspace of its own

[workspace]
{setup}# setup_minutes = 15        # how long that may take
# keep = []                 # what gates build and git ignores, such as "target", to be there for the next check too:
                            # quicker, but what one story's code leaves there, the next one's gates believe
# branch = ""               # the branch to start from and to land on; empty: the one that is checked out
# env = []                  # names of environment variables to pass on to setup and gates

[landing]
# batch = 16                # how many finished stories land together at most; fewer while many of them fail
# at_once = 2               # on how many of their commits the gates run at a time
# proof = "each"            # the gates run on "each" commit that lands; or only on the "tip" of a batch: fewer runs
# review = false            # hold every story before it lands, its gates green, until you approve it
# later_files = "leave_out"  # files that would run on your machine later (.claude, .vscode, hooks, CI) and that the
                            # story did not ask for: left out and kept as a patch; "hold": the story waits for your
                            # approval; "land": they land and are reported

[limits]
# run_usd = 50.0            # money for the whole run before it stops and a person is asked; left out: no limit
# story_usd = 5.0           # the same for each story
# step_usd = 2.0            # and for each step
# run_tokens = 50000000     # tokens, read and written, for the whole run; left out: no limit
# story_tokens = 5000000    # the same for each story
# step_tokens = 2000000     # and for each step
# attempt_usd = 2.0         # set aside for an attempt of a kind that the run has not seen, where it has a limit
# attempt_tokens = 2000000  # the same in tokens
# repairs = 2               # how often a change that failed its gates is sent back; not after one that changed nothing
# conflicts = 3             # how often conflicts with what has landed meanwhile are sent back
# wait_hours = 6            # how long an agent's rate limit is waited for at a time, whatever the agent says
# waits = 20                # how often one step may run into one that was to be over, before it fails

[proof]
# policy = "trusting"       # evidence is checked and recorded; "cited" and "strict" refuse to land without it
# hosts = []                # hosts that url steps of a spec may ask, beside this machine
# protect = []              # globs of tests and gate configuration; empty: those of well-known tools. Where a story
                            # changes any, gates run a second time with the base's version, and must pass both
# protect_policy = "restore"  # or "report": only tell of such changes
# escalate = ""             # the profile that repairs a change when a repair has left the same failure

# What agents and gates can reach of this machine; shiftwork doctor tells whether it holds here.
[sandbox]
# tier = "auto"             # "bubblewrap" (Linux): they see the system, your tools and their own tree, and write to
                            # that alone; "none": they run with your rights; "auto": bubblewrap where it works, else
                            # none, and a line says so
# memory_gb = 12            # what one attempt, gate or setup command may use in a sandbox, with all that it starts;
                            # without it, three quarters of the machine's memory
# processes = 2000          # the same of processes
# disk_gb = 20              # what it may add to its folders

[sandbox.agents]
# network = "auto"          # "auto": Claude Code and Codex reach their own model alone, other agents all of the
                            # network until hosts are listed for them; true: all of it; false: none
# hosts = []                # what agents may call beside their model, such as "docs.example.com", "*.example.org",
                            # "127.0.0.1:8080"; without a port, 80 and 443; see also hosts under [agent]
# ports = []                # ports of services on this machine that they reach, such as 5432, by localhost
# readable = []             # more that they may read, such as "~/.aws"
# writable = []             # more that they may change: another agent's own folder, such as "~/.gemini"

[sandbox.gates]
# network = "auto"          # "auto": each gate has as little of the network as it needs, and you are asked before one
                            # gets this machine's; true: all of it; false: none
# hosts = []                # empty: by network; else these alone; the setup command may call them too
# ports = []                # ports of services on this machine that gates reach, such as 5432, by localhost
# readable = []             # more that gates and the setup command may read
# writable = []             # more that they may change, such as a cache

[sandbox.setup]
# hosts = []                # whom it may call beside the package registries in force, such as "github.com"

# Who is told of what while nobody watches; as it is, nobody of anything. `shiftwork notify --test` tries it.
[notify]
# urls = []                 # addresses as apprise knows them, such as "ntfy://topic"; those that hold a password are
                            # better in the environment: SHIFTWORK_NOTIFY_URLS, with blanks between
# on = ["needs-you", "finished", "failed", "budget"]  # of what
# webhook = { url = "", secret_env = "SHIFTWORK_WEBHOOK_SECRET" }  # a POST, signed with what that variable holds

[store]
# url = ""                  # empty: a file in .git/shiftwork; or postgresql://user@host:port/name
"""

_SETUP_COMMENT: Final = "# makes the environment of a fresh tree, before agents and gates"

SETUP: Final = "setup"
"""Under this name the setup command stands among what was red."""


def settings_file(detected: Detected, red: Mapping[str, str] | None = None) -> str:
    """The text of a `shiftwork.toml` with what was found; it reads back as exactly that, without what was `red`: gates,
    and the setup command, by name, each with the reason that stands beside it in a comment.
    """
    reasons = red or {}
    gates = "".join(_gate(gate, reasons.get(gate.name, "")) for gate in detected.gates)
    nothing = '# Nothing was found: without a gate, only that something changed is checked.\n# test = "make test"\n'
    rest = _REST.replace("{setup}", _setup(detected.setup, reasons.get(SETUP, "")))
    return _HEAD + _GATES + (gates or nothing) + rest


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
    """As a TOML string: JSON's escapes are among TOML's, once DEL is escaped too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(text: str) -> str:
    """On one line, without the characters that TOML refuses in a comment."""
    return "".join(char if char.isprintable() else " " for char in text)
