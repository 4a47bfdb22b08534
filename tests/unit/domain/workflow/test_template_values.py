"""The values of templates: the file's defaults, overridden by steps' answers, overridden by the harness's own names."""

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.workflow.template_values import PROTECTED_KEYS, limited, merged, values, without

KEYS = st.sampled_from([*sorted(PROTECTED_KEYS), "review_issues", "plan_file", "changes"])
CONTEXTS = st.dictionaries(KEYS, st.text(max_size=5)).map(lambda found: tuple(found.items()))


def test_what_a_step_answers_replaces_the_empty_default_of_the_file() -> None:
    context = (("review_issues", ""), ("plan_file", ""))
    assert merged(context, (("review_issues", "no tests"),)) == (("review_issues", "no tests"), ("plan_file", ""))


@given(CONTEXTS, CONTEXTS)
def test_no_answer_takes_a_protected_name(
    context: tuple[tuple[str, str], ...], said: tuple[tuple[str, str], ...]
) -> None:
    before, after = dict(context), dict(merged(context, said))
    assert all(after.get(key) == before.get(key) for key in PROTECTED_KEYS)
    assert all(after[key] == value for key, value in said if key not in PROTECTED_KEYS)
    assert after.keys() <= before.keys() | dict(said).keys()


def test_a_step_that_declares_what_it_sets_sets_nothing_else() -> None:
    said = (("decision", "approved"), ("task", "mine"), ("notes", "x"))
    assert limited(said, ("DECISION",)) == (("decision", "approved"),)
    assert limited(said, ()) == said


def test_what_is_cleared_is_gone_however_it_is_spelt() -> None:
    assert without((("plan_file", "a"), ("changes", "b")), ("PLAN_FILE",)) == (("changes", "b"),)


@given(CONTEXTS, CONTEXTS)
def test_the_names_of_the_harness_win(context: tuple[tuple[str, str], ...], ours: tuple[tuple[str, str], ...]) -> None:
    assert values(context, dict(ours)) == dict(context) | dict(ours)
