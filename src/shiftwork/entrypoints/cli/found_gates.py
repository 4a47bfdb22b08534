"""Runs the setup command and the gates that were found, on the branch as it is, for `init`: what is red already is
known before it is settled.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from shiftwork.bootstrap.base import open_base
from shiftwork.bootstrap.working import repository_problems
from shiftwork.config.settings import Settings
from shiftwork.config.site import Site, open_state
from shiftwork.config.template import SETUP
from shiftwork.domain.model.gate import GateResult
from shiftwork.entrypoints.cli.conditions import find_base
from shiftwork.entrypoints.cli.gate_reason import reason
from shiftwork.errors import ShiftworkError


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """How each gate ended on the branch, by name; `skipped` says why none was run. `setup` is the reason why the setup
    command failed: then the gates ran in the user's own environment. `seconds` is how long it took to have one in
    the gates' tree.
    """

    branch: str = ""
    results: Mapping[str, GateResult] = field(default_factory=dict)
    setup: str = ""
    seconds: float = 0.0
    skipped: str = ""

    @property
    def red(self) -> dict[str, str]:
        """What is to be written as a comment: the name, and what the comment says."""
        reasons = {name: reason(one.output) for name, one in self.results.items() if not one.passed}
        gates = {name: f"red on {self.branch} already: {why}" for name, why in reasons.items()}
        return gates | ({SETUP: f"failed on {self.branch}: {self.setup}"} if self.setup else {})


async def check_found(site: Site, settings: Settings, env: Mapping[str, str]) -> Checked:
    """Every gate of the settings on the tip of the branch. Where that cannot be, the reason is given, never raised."""
    try:
        if problems := await repository_problems(site, env):
            return Checked(skipped=problems[0][0])
        branch = await find_base(site, settings, env)
    except ShiftworkError as error:
        return Checked(skipped=error.message)
    try:
        open_state(site)
        base = await open_base(site, settings, env, branch)
        report = await base.report("init/gates", again=True)
        prepared = await base.prepared()
    except ShiftworkError as error:
        return Checked(branch=branch, skipped=error.message)
    results = {result.name: result for result in report.results}
    return Checked(
        branch=branch,
        results=results,
        setup=reason(prepared.failure) if prepared.failure else "",
        seconds=prepared.seconds,
    )
