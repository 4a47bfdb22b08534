"""A small MCP server on standard input and output, in the place of the harness's own tools."""

import os

from mcp.server import MCPServer

server = MCPServer("toolbox")


@server.tool()
def note(text: str) -> str:
    """Keep a note."""
    return f"noted: {text}"


@server.tool()
def inherited(name: str) -> str:
    """Return a variable of the server's own environment."""
    return os.environ.get(name, "nothing")  # noqa: TID251 - what arrives in the environment is what is tested


if __name__ == "__main__":
    server.run("stdio")
