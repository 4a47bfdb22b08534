"""The tools that a running agent is offered, as an MCP server on standard input and output."""
