"""Compares the outcome of an attack with its row, and keeps it for the table."""

import subprocess
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

import pytest

from shiftwork import redaction
from tests.attacks.state_rig import outside, packed, unpacked
from tests.attacks.table import TIERS, Attack

__all__ = ["outside", "packed", "unpacked"]

SEEN = pytest.StashKey[str]()


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """The secrets that one test has made known are nothing for the next."""
    yield
    redaction.forget()


def _tiers(item: pytest.Function) -> Sequence[str]:
    """The tiers for which the outcome of this test holds."""
    return (str(item.funcargs["tier"]),) if "tier" in item.funcargs else TIERS


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    mark = pyfuncitem.get_closest_marker("attack")
    if mark is None:
        return None
    row: Attack = mark.args[0]
    asked = pyfuncitem._fixtureinfo.argnames
    given = {name: pyfuncitem.funcargs[name] for name in asked}
    outcome = pyfuncitem.obj(**given)
    pyfuncitem.stash[SEEN] = outcome
    for tier in _tiers(pyfuncitem):
        expected = row.expected(tier)
        assert outcome == expected, f"{row.name}: {outcome}, and the table says {expected} with {tier}"
    assert not row.complaint, f"{row.name}: {row.complaint}"
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    mark = item.get_closest_marker("attack")
    if mark is not None and report.when == "call" and isinstance(item, pytest.Function):
        seen = item.stash.get(SEEN, "error")
        report.user_properties += [("attack", f"{mark.args[0].name}\t{tier}\t{seen}") for tier in _tiers(item)]
    return report


@pytest.fixture
def emptied_path(tmp_path: Path) -> Iterator[Path]:
    """For folders that are too deep for pytest, which removes what tests leave behind by recursion."""
    yield tmp_path
    subprocess.run(["rm", "-rf", *tmp_path.iterdir()], check=True)
    assert not any(tmp_path.iterdir())
