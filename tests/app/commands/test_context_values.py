"""Values for the prompts as they are typed: a pair that no prompt could use is refused, with what to type."""

import pytest

from shiftwork.app.commands.context_values import MOST_BYTES, context_values
from shiftwork.domain.workflow.template_values import BUILT_IN, MEMORY, Context
from shiftwork.errors import UsageError


def said(*pairs: str) -> Context:
    return context_values(pairs)


def test_pairs_are_read_in_their_order() -> None:
    assert said("Issue=12", "url = https://a?b=c ") == (("issue", "12"), ("url", "https://a?b=c"))
    assert said() == ()


@pytest.mark.parametrize("pair", ["issue", "=1", "a-b=1", "1a=1", "a b=1", "{{a}}=1", f"{'n' * 65}=1", ""])
def test_what_is_no_pair_is_refused(pair: str) -> None:
    with pytest.raises(UsageError, match="is not a pair of a name") as refused:
        said(pair)
    assert refused.value.hint == "shiftwork run --context issue=1234 …"


@pytest.mark.parametrize("name", sorted(BUILT_IN | MEMORY))
def test_a_name_that_the_run_sets_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="the run sets this value itself"):
        said(f"{name.upper()}=x")


def test_an_empty_value_and_a_repeated_name_are_refused() -> None:
    with pytest.raises(UsageError, match="--context issue is empty"):
        said("issue= ")
    with pytest.raises(UsageError, match="--context names issue twice"):
        said("issue=1", "ISSUE=2")


def test_values_are_no_longer_than_a_prompt_shows() -> None:
    assert said(f"a={'x' * (MOST_BYTES - 2)}", "b=é")
    with pytest.raises(UsageError, match="longer than 16,000 bytes"):
        said(f"a={'x' * (MOST_BYTES - 1)}", "b=é")


def test_several_pairs_stand_in_one_word_and_other_commas_belong_to_the_value() -> None:
    assert said("a=1,b=2", "c=3, 4,d") == (("a", "1"), ("b", "2"), ("c", "3, 4,d"))
