"""JSON as an agent may print it: mostly known keys and values, mixed with arbitrary ones."""

from typing import Any

from hypothesis import strategies as st

TEXTS = st.text(st.characters(exclude_categories=()))
"""Any characters, lone surrogates among them: JSON may spell them."""


def any_json(keys: st.SearchStrategy[str], words: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | words,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys | TEXTS, inner, max_size=8),
        max_leaves=30,
    )
