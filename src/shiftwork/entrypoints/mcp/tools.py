"""The tools as an agent sees them: name, description, arguments. Each is a method of `Toolbox` of the same name.

Plain values without imports: a starting agent waits for this list.
"""

from typing import Any, Final

type Tool = dict[str, Any]

_TEXT: Final = {"type": "string"}
_TEXTS: Final = {"type": "array", "items": {"type": "string"}}
_OBJECTS: Final = {"type": "array", "items": {"type": "object"}}
_IN_PYTHON: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}


def tool(name: str, message: str, required: dict[str, Any], optional: dict[str, Any] | None = None) -> Tool:
    """A tool in MCP's format; an optional argument has a default in its method."""
    schema = {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}
    return {"name": name, "description": message, "inputSchema": {**schema, "additionalProperties": False}}


TOOLS: Final[tuple[Tool, ...]] = (
    tool(
        "read_task",
        "Read the story, its acceptance criteria and the steps of its workflow with their ids and states.",
        {},
    ),
    tool(
        "edit_workflow",
        """Change the remaining steps of this story. All operations are applied, or none.

Each operation is an object with "operation" (add_after, split, skip, reorder, edit_description or restart) and
"reason", and as the operation needs: "target_step_id", "new_steps" (add_after) or "replacement_steps" (split), each a
list of {"type", "description"}; "new_order" (reorder: every pending step id once); "new_description"
(edit_description, restart). The answer says whether the request was accepted.""",
        {"operations": _OBJECTS},
    ),
    tool(
        "write_note",
        """Leave a finding for the later steps of this story; each of them is shown it.

`scope` "project" shows it to all stories of this run, "pattern" to all later work on this code base: only for what is
general. Without it, or with "story", it stays with this story.""",
        {"text": _TEXT},
        {"scope": {**_TEXT, "enum": ["story", "project", "pattern"]}},
    ),
    tool(
        "report_evidence",
        """Say what shows that an acceptance criterion holds.

`criterion` is its id, `kind` is "test", "verification" or "citation", `reference` the test's name, the id of the
verification step, or file:line (or file:first-last) in lines that this story has written. The harness checks it on the
commit that is to land; a later call for the same criterion replaces an earlier one.""",
        {"criterion": _TEXT, "kind": _TEXT, "reference": _TEXT},
    ),
    tool(
        "ask",
        """Ask a person what only a person can decide, then end your session.

You get no answer in this session: your changes are kept, and this step continues in a new session with the answer.
`options` are what the person may choose from, where it is a choice.""",
        {"question": _TEXT},
        {"options": _TEXTS},
    ),
)


def misfits(tool: Tool, arguments: dict[str, Any]) -> str:
    """Why a call does not fit its tool, as a message for the agent; empty if it fits."""
    known = tool["inputSchema"]["properties"]
    missing = [f"{name} is missing" for name in tool["inputSchema"]["required"] if name not in arguments]
    strange = [f"there is no argument {name}" for name in arguments if name not in known]
    wrong = [
        f"{name} must be of the type {known[name]['type']}"
        for name, value in arguments.items()
        if name in known and type(value) not in _IN_PYTHON[known[name]["type"]]
    ]
    return "; ".join(missing + strange + wrong)
