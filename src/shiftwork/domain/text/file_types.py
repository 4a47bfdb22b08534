"""Which files are source code, and which belong to a user interface in a browser, by their paths."""

from typing import Final

_LANGUAGES: Final = """
    py pyc pyi pyx so pyd js jsx ts tsx mjs cjs mts cts vue svelte go rs java kt kts scala groovy cs fs vb php rb pl pm
    t swift ex exs erl dart c cc cpp cxx h hh hpp m mm lua jl r sh bash zsh fish bats ps1 bat cmd zig nim clj cljs hs ml
"""
_ENDINGS: Final = frozenset(_LANGUAGES.split())
_MARKUP: Final = (
    "html htm css scss sass less styl jsx tsx vue svelte astro hbs ejs pug erb haml twig liquid cshtml razor"
)
_ASSETS: Final = "js mjs ts svg png jpg jpeg gif webp avif ico woff woff2"
_ASSET_FOLDERS: Final = "frontend client web ui public static assets components pages views layouts styles"


def ending(path: str) -> str:
    """The lower-case file extension; empty where there is none."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name.lstrip(".") else ""


def is_source(path: str) -> bool:
    """Whether it has an effect when it is run or imported."""
    return ending(path) in _ENDINGS


def is_frontend(path: str) -> bool:
    """Pages, styles and components; scripts and pictures only in a folder that is named for them."""
    folders = path.lower().split("/")[:-1]
    asset = ending(path) in _ASSETS.split() and not set(folders).isdisjoint(_ASSET_FOLDERS.split())
    return asset or ending(path) in _MARKUP.split()
