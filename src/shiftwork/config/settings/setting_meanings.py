"""What each setting means, in one sentence, by its name; a profile's settings mean the same as those of `agent`."""

from collections.abc import Mapping
from typing import Final

from shiftwork.config.agents.kinds import AGENTS

_AGENTS: Final = [f"{name} {kind.suits}".rstrip() for name, kind in AGENTS.items()]

MEANINGS: Final[Mapping[str, str]] = {
    "agent.use": f"Which agent works on the stories: {', '.join(_AGENTS)}.",
    "agent.program": "How the agent's program is called; empty: by its usual name.",
    "agent.command": "For acp the agent's command line, for command a shell command that reads the prompt from its"
    " standard input and prints the answer.",
    "agent.model": "The model that the agent uses; empty: the agent's own default.",
    "agent.tools": "Whether the agent gets tools to read its task and edit its own steps.",
    "agent.silence_minutes": "An agent that prints nothing for so long is stopped.",
    "agent.time_factor": "Multiplies the time limits of all steps.",
    "agent.max_output_mib": "An agent that prints more than this in one attempt is stopped.",
    "agent.identical_calls": "An agent that calls a tool so often in a row with the same input is stopped.",
    "agent.env": "Names of environment variables to pass on to the agent, such as ANTHROPIC_API_KEY.",
    "agent.hosts": "Hosts that it may call from the sandbox beside its model, such as docs.example.com. An empty list"
    " adds none; for an agent whose model's address is not known (command, acp) it sets no limit: it has the whole"
    " network.",
    "agent.choose": "Whether this agent works on every story (fixed), or for each story the agent or profile that has"
    " landed the most for its cost so far (learn).",
    "agent.fallback": "Profiles that continue, in this order, while this agent is at a rate limit.",
    "gates.NAME": "A command whose exit code decides: nothing lands unless all gates pass on the exact commit that"
    " will land.",
    "gates.NAME.command": "The command of a gate that has more settings than its command.",
    "gates.NAME.minutes": "How long the gate may take.",
    "gates.NAME.kind": "Whether the gate runs tests, if its name and its command do not show that.",
    "gates.NAME.blind": "Whether the gate is accepted although it does not notice broken product sources; every view"
    " then says that it proved nothing.",
    "gates.NAME.cwd": "The folder in which the gate runs, such as packages/api.",
    "gates.NAME.paths": "The gate only runs for changes at these paths, such as packages/api/**, and for the last story"
    " of a run.",
    "gates.NAME.attach": "Whether what the gate runs may attach to other processes, as leak checkers and some debuggers"
    " do; it can then forge the gate's result, and shiftwork proof says so.",
    "gates.NAME.namespaces": "Whether what the gate runs may make namespaces, as sandboxes of browsers and containers"
    " do; it can then forge the gate's result, and shiftwork proof says so.",
    "run.workflow": "The workflow of a run, by name or path, as shiftwork workflow list shows them; empty: auto.",
    "run.parallel": "How many stories are in progress at once; if no file sets it, stories of which none states a"
    " dependency are worked on one after the other.",
    "run.keep_going": "Whether stories that are worked on one after the other continue after one that failed.",
    "workspace.setup": "The command that prepares the environment of a fresh tree, before agents and gates run.",
    "workspace.setup_minutes": "How long the setup command may take.",
    "workspace.keep": "Build output that git ignores, such as target, to keep for the next check: faster, but leftovers"
    " of one story can affect the gates of the next.",
    "workspace.branch": "The branch to start from and to land on; empty: the current branch.",
    "workspace.env": "Names of environment variables to pass on to the setup command and the gates.",
    "commit.message": "The template of the messages of landed commits, with {type}, {id}, {title}, {body} and {issue};"
    " its last paragraph may be trailers.",
    "commit.co_author": "Whether a landed commit names the agents that worked on it as co-authors.",
    "commit.hook": "Whether the commit-msg hook of the base, or its commitlint, pre-commit or gitlint, must accept the"
    " message before a story lands: in a sandbox (auto), also without one (always), or not (off).",
    "landing.batch": "How many finished stories land together at most; fewer while many of them fail.",
    "landing.at_once": "How many of their commits are checked at a time.",
    "landing.proof": "Whether the gates run on each commit that lands, or only on the tip of a batch, which needs fewer"
    " runs.",
    "landing.review": "Whether every story waits for your approval after its gates have passed.",
    "landing.later_files": "What happens to files that would run on your machine later (.claude, .vscode, hooks, CI)"
    " and that the story did not ask for: they are left out and kept as a patch, need your approval, or land.",
    "landing.large_file_mb": "A story with a larger file, in megabytes, waits for your approval: once landed, the file"
    " stays in the repository's history.",
    "limits.run_usd": "The cost limit of a run in dollars, at which it stops and asks you; not set: no limit.",
    "limits.story_usd": "The cost limit of each story in dollars; not set: no limit.",
    "limits.step_usd": "The cost limit of each step in dollars; not set: no limit.",
    "limits.run_tokens": "How many tokens a run may read and write; not set: no limit.",
    "limits.story_tokens": "How many tokens each story may read and write; not set: no limit.",
    "limits.step_tokens": "How many tokens each step may read and write; not set: no limit.",
    "limits.run_sessions": "How many sessions of agents a run may have; not set: no limit.",
    "limits.story_sessions": "How many sessions of agents each story may have; not set: no limit.",
    "limits.attempt_usd": "Dollars reserved for an attempt of a kind that the run has not seen, if there is a limit.",
    "limits.attempt_tokens": "Tokens reserved for an attempt of a kind that the run has not seen, if there is a limit.",
    "limits.repairs": "How often a change that failed its gates is sent back; never after an empty repair.",
    "limits.conflicts": "How often conflicts with newly landed work are sent back.",
    "limits.wait_hours": "How long to wait for an agent's rate limit at a time, whatever the agent reports.",
    "limits.waits": "How often a step may hit a limit that should have ended, before it fails.",
    "notify.urls": "Apprise addresses that are notified, such as ntfy://topic; those with a password are better in the"
    " environment variable, separated by spaces.",
    "notify.on": "The occasions on which you are notified.",
    "notify.webhook.url": "Where signed notices are posted; empty: nowhere.",
    "notify.webhook.secret_env": "The name of the environment variable that holds the secret of the signature.",
    "proof.protect": "Globs of tests and gate configuration, with whose base version the gates run a second time if a"
    " story changes them; empty: those of well-known tools.",
    "proof.protect_policy": "Whether gates must also pass with the base's version of protected files, or changes of"
    " them are only reported.",
    "proof.escalate": "The profile that repairs a change when a repair has left the same failure.",
    "proof.policy": "Whether a story may land with a criterion without evidence: trusting only records it, cited and"
    " strict refuse.",
    "proof.hosts": "Hosts that url steps of a spec may call, beside this machine.",
    "sandbox.tier": "What separates agents and gates from your machine: bubblewrap, none (they run with your rights),"
    " or auto, which is bubblewrap where that works, else none, and a line says so.",
    "sandbox.memory_gb": "The memory of an attempt, a gate or the setup command with all its processes; not set: three"
    " quarters of the machine's.",
    "sandbox.processes": "How many processes an attempt, a gate or the setup command may have.",
    "sandbox.disk_gb": "How much an attempt, a gate or the setup command may add to its folders.",
    "sandbox.agents.network": "Whether agents have all of the network, none, or with auto their own model alone; agents"
    " whose model's address is not known have all of it until hosts are listed.",
    "sandbox.agents.hosts": "Hosts that agents may call beside their model, such as docs.example.com, *.example.org or"
    " 127.0.0.1:8080; without a port, 80 and 443.",
    "sandbox.agents.ports": "Ports of services on this machine that agents reach on localhost, such as 5432.",
    "sandbox.agents.readable": "More files that agents may read, such as ~/.aws.",
    "sandbox.agents.writable": "More files that agents may change, such as another agent's own folder.",
    "sandbox.gates.network": "Whether gates have all of the network, none, or with auto as little as each needs; you"
    " are asked before a gate gets this machine's.",
    "sandbox.gates.hosts": "The only hosts that gates may call, and the setup command too; empty: see network.",
    "sandbox.gates.ports": "Ports of services on this machine that gates reach on localhost, such as 5432.",
    "sandbox.gates.readable": "More files that gates and the setup command may read.",
    "sandbox.gates.writable": "More files that gates and the setup command may change, such as a cache.",
    "sandbox.setup.hosts": "Hosts that the setup command may call beside the package registries, such as github.com.",
    "serve.max_runs": "How many runs the server of `run --detach` works on at once.",
    "store.url": "Where the history is kept: empty, a file in .git/shiftwork; or postgresql://user@host:port/name.",
}
