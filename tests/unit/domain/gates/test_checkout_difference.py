"""Why a gate is green only in the user's checkout: what is tried, in which order, and the conclusion."""

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.gates.checkout_difference import MOST_TRIALS, mentioned, next_step
from shiftwork.domain.gates.checkout_trial import Cause, Difference, Explanation, Named, Trial


def explained(difference: Difference, needed: Trial) -> tuple[Explanation, list[Trial]]:
    """What comes of it where the gate is green with all that is needed, and what was tried."""
    tried: dict[Trial, bool] = {}
    while isinstance(step := next_step(difference, tried), Trial):
        assert step not in tried, "nothing is tried twice"
        tried[step] = (
            set(needed.variables) <= set(step.variables)
            and set(needed.files) <= set(step.files)
            and needed.uncommitted <= step.uncommitted
        )
    return step, list(tried)


VARIABLES = Named(everything=("A", "DATABASE_URL", "EDITOR", "TOKEN"), printed=("DATABASE_URL",), tracked=("TOKEN",))
FILES = Named(everything=(".env", "local.cfg", "notes.txt"), tracked=(".env",))


def test_a_variable_that_the_gate_has_printed() -> None:
    why, tried = explained(Difference(variables=VARIABLES, files=FILES), Trial(variables=("DATABASE_URL",)))
    assert why == Explanation(cause=Cause.VARIABLES, names=("DATABASE_URL",), exact=True)
    assert tried == [Trial(variables=VARIABLES.everything), Trial(variables=("DATABASE_URL",))]


def test_a_variable_that_the_projects_files_name() -> None:
    why, tried = explained(Difference(variables=VARIABLES), Trial(variables=("TOKEN",)))
    assert why == Explanation(cause=Cause.VARIABLES, names=("DATABASE_URL", "TOKEN"), exact=True)
    assert len(tried) == 3


def test_a_variable_that_nothing_names_is_somewhere_among_all() -> None:
    why, _ = explained(Difference(variables=VARIABLES), Trial(variables=("EDITOR",)))
    assert why == Explanation(cause=Cause.VARIABLES, names=("DATABASE_URL", "TOKEN", "A", "EDITOR"))
    only = Named(everything=("EDITOR",))
    assert explained(Difference(variables=only), Trial(variables=("EDITOR",)))[0].exact, "there is no other"


def test_an_ignored_file() -> None:
    why, tried = explained(Difference(variables=VARIABLES, files=FILES), Trial(files=(".env",)))
    assert why == Explanation(cause=Cause.FILES, names=(".env",), exact=True)
    assert [bool(trial.variables) for trial in tried] == [True, False, False], "variables are tried first"


def test_what_is_not_committed_is_tried_before_all_else() -> None:
    difference = Difference(variables=VARIABLES, files=FILES, uncommitted=("new.py",))
    why, tried = explained(difference, Trial(uncommitted=True))
    assert why == Explanation(cause=Cause.UNCOMMITTED, names=("new.py",), exact=True)
    assert tried == [Trial(uncommitted=True)]


@pytest.mark.parametrize("uncommitted", [(), ("new.py",)])
def test_where_nothing_helps_it_is_an_environment(uncommitted: tuple[str, ...]) -> None:
    needed = Trial(variables=("NO SUCH",))
    why, _ = explained(Difference(variables=VARIABLES, files=FILES, uncommitted=uncommitted), needed)
    assert why == Explanation(cause=Cause.ENVIRONMENT)


_SOME = st.sets(st.sampled_from("ABCDEF"))


def named(everything: Collection[str], printed: Collection[str], tracked: Collection[str]) -> Named:
    return Named(
        everything=tuple(sorted(everything)),
        printed=tuple(sorted(set(printed) & set(everything))),
        tracked=tuple(sorted(set(tracked) & set(everything))),
    )


NAMED = st.builds(named, _SOME, _SOME, _SOME)


NEEDED = st.builds(
    lambda variables, files, uncommitted: Trial(
        variables=tuple(sorted(variables)), files=tuple(sorted(files)), uncommitted=uncommitted
    ),
    _SOME,
    _SOME,
    st.booleans(),
)


@given(NAMED, NAMED, st.sampled_from([(), ("new.py",)]), NEEDED)
def test_few_runs_explain_it_and_what_is_exact_is_enough(
    variables: Named, files: Named, uncommitted: tuple[str, ...], needed: Trial
) -> None:
    why, tried = explained(Difference(variables=variables, files=files, uncommitted=uncommitted), needed)
    assert len(tried) <= MOST_TRIALS
    if why.exact and why.cause is Cause.VARIABLES:
        assert (set(needed.variables) <= set(why.names), needed.files, needed.uncommitted) == (True, (), False)
    if why.exact and why.cause is Cause.FILES:
        assert (set(needed.files) <= set(why.names), needed.variables, needed.uncommitted) == (True, (), False)


def test_a_name_is_mentioned_where_it_is_a_word() -> None:
    printed = "KeyError: 'DATABASE_URL'\nprocess.environment A_TOKEN; cannot open .env: no file"
    assert mentioned(("DATABASE_URL", "TOKEN", ".env", "environ"), printed) == ("DATABASE_URL", ".env")
