"""Citations against random changes: a citation holds exactly if its lines were written by the change."""

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.proof.evidence import cited
from shiftwork.domain.proof.verdict import FileFound, Findings, Verdict


@st.composite
def ranges(draw: st.DrawFn) -> tuple[tuple[int, int], ...]:
    """Ranges that are in order and do not overlap, as hunks are; some touch."""
    edges = sorted(draw(st.sets(st.integers(1, 40), max_size=12)))
    return tuple(zip(edges[::2], edges[1::2], strict=False))


@given(changed=ranges(), lines=st.integers(0, 40), first=st.integers(0, 45), length=st.integers(-2, 10))
def test_a_citation_holds_where_every_line_of_it_was_written(
    changed: tuple[tuple[int, int], ...], lines: int, first: int, length: int
) -> None:
    last = max(first + length, 0)
    written = {line for start, end in changed for line in range(start, end + 1)}
    found = Findings(tree="t", files=(FileFound(path="f", lines=lines, changed=changed),))
    meant = set(range(first, last + 1))
    holds = bool(meant) and first >= 1 and last <= lines and meant <= written
    assert (cited(f"f:{first}-{last}", found)[0] is Verdict.HOLDS) is holds
    assert cited(f"g:{first}-{last}", found)[0] is Verdict.FALSE
