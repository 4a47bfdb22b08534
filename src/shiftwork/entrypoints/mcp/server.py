"""The wire: four tools of one attempt's toolbox, spoken as MCP over standard input and output."""

from pathlib import Path
from typing import Any

from mcp.server import MCPServer

from shiftwork.entrypoints.mcp.toolbox import Toolbox


def serve(desk: Path) -> None:
    """Answer until the agent closes the connection."""
    build(Toolbox(desk)).run("stdio")


def build(toolbox: Toolbox) -> MCPServer:
    server = MCPServer("shiftwork", log_level="ERROR")

    @server.tool()
    def read_task() -> dict[str, Any]:
        """Read the story, its acceptance criteria and the steps of its workflow with their ids and states."""
        return toolbox.read_task()

    @server.tool()
    def edit_workflow(operations: list[dict[str, Any]]) -> str:
        """Change the remaining steps of this story. All operations are applied, or none.

        Each operation is an object with "operation" (add_after, split, skip, reorder, edit_description or restart)
        and "reason", and as the operation needs: "target_step_id", "new_steps" (add_after) or "replacement_steps"
        (split), each a list of {"type", "description"}; "new_order" (reorder: every pending step id once);
        "new_description" (edit_description, restart). The answer says whether the request was accepted.
        """
        return toolbox.edit_workflow(operations)

    @server.tool()
    def write_note(text: str) -> str:
        """Leave a finding for the later steps of this story; each of them is shown it."""
        return toolbox.write_note(text)

    @server.tool()
    def report_evidence(criterion: str, kind: str, reference: str) -> str:
        """Say what shows that an acceptance criterion holds.

        `criterion` is its id, `kind` is "test", "step" or "citation", `reference` the test's name, the verification
        step, or file:line. The harness checks it.
        """
        return toolbox.report_evidence(criterion, kind, reference)

    return server
