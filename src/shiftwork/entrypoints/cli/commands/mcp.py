"""`shiftwork mcp`: serves tools by which other agents hand work to Shiftwork."""

import click

from shiftwork.app.views.documents.commands.server_documents import McpServer, McpTool
from shiftwork.config.site import environment
from shiftwork.entrypoints.cli.env.repository import root_or_folder
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.mcp.run_server import SKILL, description, serve_runs


@click.command("mcp", short_help="Offer plan, start, status, wait, answer and cancel to other agents.")
@click.option("--skill", is_flag=True, help="Print the skill that teaches an agent to use the tools, and end.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document with the tools and the skill, and end.")
def command(*, skill: bool, as_json: bool) -> None:
    """Serve tools for other agents over MCP, on standard input and output, for the repository that it is started in:
    plan, start, status, wait, answer and cancel. An agent program starts it: claude mcp add shiftwork -- shiftwork mcp

    A run that is started this way continues when the agent disconnects. The tools agree to nothing: a repository must
    be trusted with `shiftwork trust`, only a person approves a story, and no limit is above that of the settings.
    """
    if as_json:
        offered = description()
        tools = [McpTool(name=tool["name"], description=tool["description"]) for tool in offered["tools"]]
        command_line = " ".join((offered["server"]["command"], *offered["server"]["args"]))
        say(McpServer(command=command_line, transport=offered["server"]["type"], tools=tools, skill=offered["skill"]))
    elif skill:
        click.echo(SKILL.read_text(encoding="utf-8"), nl=False)
    else:
        serve_runs(root_or_folder(settings=False), environment())
