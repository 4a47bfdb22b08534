"""A task as agent drivers receive it; none of its paths is read from the disk."""

from pathlib import Path

from shiftwork.ports.agent import AgentLimits, AgentTask


def task(*, prompt: str = "Do it.", toolbox: tuple[str, ...] = (), model: str = "", **env: str) -> AgentTask:
    home = Path("/attempt/home")
    return AgentTask(
        prompt=prompt,
        workdir=Path("/attempt/work"),
        home=home,
        log=home / "log",
        marker="m",
        limits=AgentLimits(wall_seconds=1, silence_seconds=1),
        toolbox=toolbox,
        env=env,
        model=model,
    )
