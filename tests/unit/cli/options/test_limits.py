"""Limits as they are typed: an amount that nothing could ever reach is no limit."""

import click
import pytest
from click.testing import CliRunner

from shiftwork.config.settings import values
from shiftwork.entrypoints.cli.commands.plan import command as plan
from shiftwork.entrypoints.cli.options import limits
from shiftwork.entrypoints.cli.options.limits import Bounds, limited, taken


@click.command()
@limited
def bounded(**asked: float | None) -> None:
    bounds: Bounds = taken(asked)
    click.echo(bounds.max_cost)


@pytest.mark.parametrize("typed", ["nan", "inf", "-inf", "0", "-1", "1e400", "1e10"])
def test_what_is_no_amount_is_refused(typed: str) -> None:
    for option in ("--max-cost", "--max-story-cost", "--max-step-cost"):
        result = CliRunner().invoke(bounded, [f"{option}={typed}"])
        assert result.exit_code == 2, result.output
        assert f"Invalid value for '{option}'" in result.output
    assert "Invalid value for '--max-cost'" in CliRunner().invoke(plan, ["x", f"--max-cost={typed}"]).output


@pytest.mark.parametrize("typed", ["0", "9223372036854775808", "1" + "0" * 5000])
def test_a_number_that_no_database_can_hold_is_refused(typed: str) -> None:
    for option in ("--max-tokens", "--max-story-tokens", "--max-step-tokens"):
        result = CliRunner().invoke(bounded, [f"{option}={typed}"])
        assert result.exit_code == 2, result.output
        assert f"Invalid value for '{option}'" in result.output


def test_the_settings_have_the_same_bounds() -> None:
    assert (limits.MOST_MONEY, limits.MOST_TOKENS) == (values.MOST, values.MOST_TOKENS)


def test_an_amount_is_taken_as_it_is() -> None:
    assert CliRunner().invoke(bounded, ["--max-cost=0.5"]).output == "0.5\n"
