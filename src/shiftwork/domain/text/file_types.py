"""Which files are source code, by file extension: those that have an effect when they are run or imported."""

from typing import Final

_LANGUAGES: Final = """
    py pyc pyi pyx so pyd js jsx ts tsx mjs cjs mts cts vue svelte go rs java kt kts scala groovy cs fs vb php rb pl pm
    t swift ex exs erl dart c cc cpp cxx h hh hpp m mm lua jl r sh bash zsh fish bats ps1 bat cmd zig nim clj cljs hs ml
"""
_ENDINGS: Final = frozenset(_LANGUAGES.split())


def ending(path: str) -> str:
    """The lower-case file extension; empty where there is none."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name.lstrip(".") else ""


def is_source(path: str) -> bool:
    return ending(path) in _ENDINGS
