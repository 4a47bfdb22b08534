"""The tools for a running agent, as an MCP server on standard input and output."""
