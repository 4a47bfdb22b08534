"""A line reports a passed test only if the whole line matches: no extra text and no other name counts."""

from hypothesis import assume, given
from hypothesis import strategies as st

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import GateReport, GateResult
from shiftwork.domain.gates.test_output import passing
from shiftwork.domain.proof.evidence import named_test
from shiftwork.domain.proof.verdict import Findings, NameFound, Verdict

FILE = "tests/test_a.py"
LINES = (
    f"{FILE}::NAME PASSED",
    f"PASSED {FILE}::NAME",
    "NAME (tests.C.NAME) ... ok",
    "--- PASS: NAME (0.00s)",
    "test price::NAME ... ok",
    "✓ NAME (3 ms)",
    "ok 3 - NAME",
    "Passed Shop.NAME [1 ms]",
    "PriceTest > NAME() PASSED",
)
WORD = st.text(alphabet="abcxyz_", min_size=1, max_size=8)
ANY = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)


@given(line=st.sampled_from(LINES), name=WORD, other=WORD)
def test_it_counts_for_its_own_name_alone(line: str, name: str, other: str) -> None:
    assert passing(name, (FILE,), line.replace("NAME", name))
    assert passing(other, (FILE,), line.replace("NAME", name)) is (other == name)


@given(line=st.sampled_from(LINES), word=ANY)
def test_no_word_before_it_makes_it_count(line: str, word: str) -> None:
    """But for what runners put there themselves: the suites before `>`, the worker of pytest-xdist."""
    assume(word.strip() and not word.endswith(">") and " > " not in word and not word.startswith("[gw"))
    assert not passing("test_a", (FILE,), f"{word} {line.replace('NAME', 'test_a')}")


@given(line=st.sampled_from(LINES), word=ANY)
def test_no_word_after_it_makes_it_count(line: str, word: str) -> None:
    assume(word.strip() and not word.strip()[0].isdigit() and word.strip()[0] not in "[(<#")
    assert not passing("test_a", (FILE,), f"{line.replace('NAME', 'test_a')} {word}")


@given(output=st.text(max_size=200))
def test_a_test_that_is_defined_nowhere_is_false_whatever_is_printed(output: str) -> None:
    gates = GateReport(commit=Commit("c"), results=(GateResult(name="g", passed=True, seconds=1, output=output),))
    assert named_test("test_a", Findings(tree="t", names=(NameFound(name="test_a"),)), gates)[0] is Verdict.FALSE
