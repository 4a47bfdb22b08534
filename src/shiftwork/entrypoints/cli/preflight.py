"""Before work is paid for: whether the base is green, and whether its gates see what they judge.

The first time that is found out before the first session; from then on what is known is known, and what has changed
meanwhile is found out beside the work.
"""

from collections.abc import Sequence

from shiftwork.app.canary import explained, refused
from shiftwork.config.site import SETTINGS_FILE
from shiftwork.domain.model.canary import GateSight
from shiftwork.domain.model.gate import Gate
from shiftwork.errors import BlindGateError

_MARKER = "base/gates"


def sight_line(sight: GateSight) -> str:
    """What is known of one gate, on one line."""
    return f"{sight.gate}: {sight.sight}. {sight.why}"


def check_sights(sights: Sequence[GateSight], gates: Sequence[Gate]) -> None:
    """Raise where a test gate is blind and nobody has allowed that."""
    if blind := refused(sights, gates):
        names = ", ".join(one.gate for one in blind)
        raise BlindGateError(
            "\n".join(explained(one) for one in blind),
            hint=f"change {names} in {SETTINGS_FILE}, then: shiftwork doctor --gates",
        )
