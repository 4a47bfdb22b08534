"""Runs the setup command and the gates that `init` found, on the branch as it is, so that red ones are known before the
file is written.
"""

from collections.abc import Mapping
from typing import Final

from shiftwork.app.commands.explain_gate import needs, red_reason, red_sentence
from shiftwork.bootstrap.work.base import BaseCheck, open_base
from shiftwork.bootstrap.work.repository import repository_problems
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site, open_state
from shiftwork.config.templates.settings_file import SETUP
from shiftwork.domain.gates.gate import GateReport, GateResult
from shiftwork.entrypoints.cli.env.run_choices import find_base
from shiftwork.entrypoints.cli.gates.rung_consent import NOTHING, Further, further
from shiftwork.entrypoints.cli.render.sanitize import one_line
from shiftwork.errors import ShiftworkError
from shiftwork.records import dataclass, field

_REASON: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The result of each gate on the branch, by name; `skipped` says why none ran. `setup` is the reason why the setup
    command failed: then the gates ran in the user's own environment. `seconds` is how long it took to prepare the
    environment in the gates' tree. `confined` has the gates that seem to need more of the machine than the sandbox
    gives, and what the user can do about it.
    """

    branch: str = ""
    results: Mapping[str, GateResult] = field(default_factory=dict)
    setup: str = ""
    seconds: float = 0.0
    skipped: str = ""
    confined: Further = NOTHING

    @property
    def red(self) -> dict[str, str]:
        """What the file says of gates that are red and of a setup command that failed: names and reasons. A gate that
        is red because the sandbox blocks a service is not included: the user is asked for consent instead.
        """
        gates = {name: self.why(name) for name in self.results if self.why(name) and name not in self._kept}
        return gates | ({SETUP: f"failed on {self.branch}: {self.setup}"} if self.setup else {})

    def why(self, gate: str) -> str:
        """Why the gate is red; empty if it is not, or if it did not run."""
        result = self.results.get(gate)
        if result is None or result.passed:
            return ""
        where = f"in the sandbox on {self.branch}" if gate in self._kept else f"on {self.branch} already"
        return f"red {where}: {one_line(red_reason(result), _REASON)}"

    @property
    def _kept(self) -> set[str]:
        return {gate.name for gate in self.confined.gates}


async def check_found(site: Site, settings: Settings, env: Mapping[str, str]) -> Checked:
    """Runs every gate of the settings on the tip of the branch. If that is impossible, returns the reason and raises
    nothing.
    """
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
        setup=one_line(red_sentence(prepared.failure), _REASON) if prepared.failure else "",
        seconds=prepared.seconds,
        confined=_confined(base, report, settings),
    )


def _confined(base: BaseCheck, report: GateReport, settings: Settings) -> Further:
    """Only gates whose output says what is missing: others may be red without a sandbox too."""
    missing = {result.name for result in report.results if needs(result)}
    return further(base, report, tuple(gate for gate in settings.gate_list if gate.name in missing))
