"""The tools for other agents that hand work to Shiftwork, as these see them. Each is a method of `RunToolbox`."""

from typing import Any, Final

from shiftwork.entrypoints.mcp.tools import Tool, tool

LIMITS: Final = {
    "max_cost": ("number", "run_usd", "dollars for the whole run"),
    "max_tokens": ("integer", "run_tokens", "tokens for the whole run"),
    "max_sessions": ("integer", "run_sessions", "agent sessions for the whole run"),
    "max_story_cost": ("number", "story_usd", "dollars for each story"),
    "max_story_tokens": ("integer", "story_tokens", "tokens for each story"),
    "max_story_sessions": ("integer", "story_sessions", "agent sessions for each story"),
    "max_step_cost": ("number", "step_usd", "dollars for each step"),
    "max_step_tokens": ("integer", "step_tokens", "tokens for each step"),
}
"""The limits of a run: the type, the setting of the same limit, and the words for it."""

LONGEST_WAIT: Final = 300
WAIT: Final = 45


def _text(message: str) -> dict[str, Any]:
    return {"type": "string", "description": message}


_RUN: Final = _text("the id of the run, from start; without it, the newest")
_REQUEST: Final = _text("the work in plain words")
_SPEC: Final = _text("instead of request: the path of a spec in the repository, relative to its root, such as prd.json")
_BOUNDS: Final = {
    name: {"type": kind, "description": f"at most so many {words}"} for name, (kind, _, words) in LIMITS.items()
}

RUN_TOOLS: Final[tuple[Tool, ...]] = (
    tool(
        "plan",
        """Show the stories of a piece of work before it is run: dependencies, order, estimated cost, warnings.

A `spec` is only read. For a `request`, an agent plans the stories and writes them to prd.json, which costs money and
takes minutes: if the answer says "planning", call plan again with the same request to wait for the rest.""",
        {},
        {"request": _REQUEST, "spec": _SPEC, "max_cost": _BOUNDS["max_cost"]},
    ),
    tool(
        "start",
        """Start a run: agents work on the stories, and each lands on the branch once every gate has passed.

Returns the state of the run, with its id, within a minute; the run continues by itself, also after you disconnect. Then
call wait. A limit stops the run and asks a person; it can be lower than the limit in the settings, not higher.""",
        {},
        {
            "request": _REQUEST,
            "spec": _SPEC,
            "workflow": _text("the name of a workflow; without it, the one of the settings"),
            "parallel": {"type": "integer", "description": "how many independent stories are worked on at once"},
            "keep_going": {"type": "boolean", "description": "continue with the next story after one that failed"},
            "review": {"type": "boolean", "description": "let no story land until a person approves it"},
            **_BOUNDS,
        },
    ),
    tool(
        "status",
        "Show a run as it is now: its stories, their steps, costs, and what waits for a person.",
        {},
        {"run": _RUN},
    ),
    tool(
        "wait",
        """Wait until something changes in a run, and say what; at once if something has changed since your last call.

It returns when `seconds` have passed, at the latest. "over" says that the run has ended; "needs" lists the stories that
wait for a person, with their questions: use answer for those you can answer, and ask your user about the others.""",
        {},
        {"run": _RUN, "seconds": {"type": "number", "description": f"at most {LONGEST_WAIT}; {WAIT} by default"}},
    ),
    tool(
        "answer",
        """Answer the question of a story: the text, or the number of an option, goes to its next session.

It cannot approve a story, and it cannot raise a limit: only a person can.""",
        {"story": _text("the id of the story, such as US-001"), "text": _text("the answer")},
        {"run": _RUN},
    ),
    tool(
        "cancel",
        "End a run, or with `story` only that story. Agents are stopped, and nothing new starts; landed work stays.",
        {},
        {"run": _RUN, "story": _text("the id of a story")},
    ),
)
