"""A tiny MCP server on standard input and output, standing where the harness's own tools will stand."""

import os

from mcp.server import MCPServer

server = MCPServer("toolbox")


@server.tool()
def note(text: str) -> str:
    """Keep a note."""
    return f"noted: {text}"


@server.tool()
def inherited(name: str) -> str:
    """Tell a variable of the server's own environment."""
    return os.environ.get(name, "nothing")  # noqa: TID251 - what arrives in the environment is what is tested


if __name__ == "__main__":
    server.run("stdio")
