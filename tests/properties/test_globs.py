"""Paths are matched by folder, for speed; the rule is one regular expression a glob."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from shiftwork.domain.text.globs import matches

_PARTS = st.sampled_from(["a", "b", "ab", "*", "**", "a*", "*b", "?", "a?b", "a**", "."])
GLOBS = st.builds(
    lambda before, parts, after: before + "/".join(parts) + after,
    st.sampled_from(["", "", "/", "./", "**/"]),
    st.lists(_PARTS, max_size=3),
    st.sampled_from(["", "", "/", "/**"]),
)
PATHS = st.lists(st.sampled_from(["a", "b", "ab", "aab", "acb", ".a", "a\n"]), min_size=1, max_size=4).map("/".join)


def _matched_by_expression(glob: str, path: str) -> bool:
    """A glob without a slash names files and folders anywhere; what is below a folder that matches, matches."""
    named = glob.removeprefix("./")
    plain = named.strip("/")
    if plain in {"", "."}:
        return False
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    body = "".join(known.get(part, re.escape(part)) for part in re.split(r"(\*\*/|\*\*|\*|\?)", plain))
    anywhere = "" if "/" in named.rstrip("/") else "(?:.*/)?"
    return re.fullmatch(f"{anywhere}{body}(?:/.*)?", path, re.DOTALL) is not None


@given(st.lists(GLOBS, max_size=3), PATHS)
@example(["**/a/**"], "a/b")
@example(["/a"], "b/a")
def test_a_path_matches_as_its_expression_says(globs: list[str], path: str) -> None:
    assert matches(globs, path) == any(_matched_by_expression(glob, path) for glob in globs)
