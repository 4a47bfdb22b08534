"""A process with agents in progress exits immediately only on a second Ctrl-C after a while."""

import signal

import pytest

from shiftwork.entrypoints.cli.env.signals import StopSignals

INT, TERM, HUP = signal.SIGINT, signal.SIGTERM, signal.SIGHUP


def received(*signals: tuple[float, signal.Signals]) -> list[bool]:
    """How each signal counts, by its time."""
    times = iter([at for at, _ in signals])
    informed = StopSignals(clock=lambda: next(times))
    return [informed.insists(number) for _, number in signals]


def test_a_second_interrupt_after_a_while_insists() -> None:
    assert received((0, INT), (0.5, INT)) == [False, True]
    assert received((0, INT), (0.1, INT), (0.3, INT), (0.6, INT)) == [False, False, False, True]
    assert received((0, TERM), (5, INT)) == [False, True]


@pytest.mark.parametrize(
    "signals",
    [
        ((0, HUP), (0.0004, HUP), (9, HUP)),
        ((0, TERM), (0.001, TERM), (9, TERM)),
        ((0, INT), (9, HUP), (10, TERM)),
        ((0, HUP), (0.001, INT)),
        ((0, INT), (9, HUP), (9.01, INT)),
    ],
)
def test_nothing_else_does(signals: tuple[tuple[float, signal.Signals], ...]) -> None:
    assert not any(received(*signals))
