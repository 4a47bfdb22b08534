"""Attacks by an agent that speaks the Agent Client Protocol: what it can make the harness do outside its sandbox."""

import asyncio
import json
from pathlib import Path

from shiftwork.adapters.agents.acp.connection import Line
from shiftwork.adapters.agents.acp.conversation import Session
from shiftwork.ports.agent import AgentLimits, AgentTask
from tests.attacks.state_rig import settled
from tests.attacks.table import Attack, Harm, Outcome, Severity, attack

FILE_BYTES = 16 * 1024 * 1024
REQUESTS = 20
MOST_BYTES = 160 * 1024 * 1024


@attack(
    Attack(
        name="an ACP agent asks for large files and never reads the answers, until the harness has no memory left",
        layer="agents",
        severity=Severity.MEDIUM,
        harm=Harm.DENIAL,
    )
)
def test_unread_answers(tmp_path: Path) -> Outcome:
    (tmp_path / "large.txt").write_text("x" * FILE_BYTES)
    limits = AgentLimits(wall_seconds=60, silence_seconds=60)
    task = AgentTask(
        prompt="", workdir=tmp_path, home=tmp_path, log=tmp_path / "log", marker=tmp_path.name, limits=limits
    )

    async def talk() -> int:
        line = Line()
        talking = asyncio.create_task(Session(task, lambda _: None).converse(line))
        for number in range(REQUESTS):
            params = {"sessionId": "s", "path": str(tmp_path / "large.txt")}
            asked = {"jsonrpc": "2.0", "id": f"r{number}", "method": "fs/read_text_file", "params": params}
            line.feed(json.dumps(asked).encode())
        async with asyncio.timeout(60):
            while len(line._unsaid) <= REQUESTS:  # with the greeting
                await asyncio.sleep(0.01)
        line.cut()
        await talking
        return line.unread

    return settled(asyncio.run(talk()) < MOST_BYTES)
