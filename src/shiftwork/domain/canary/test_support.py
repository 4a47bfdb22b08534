"""Folders of code that tests alone use: they judge the product as tests do, wherever they are.

Everything is read from the base: a change could add an import. A folder counts only if nothing else in the repository
names it, if it needs no part of the product, and if each test that uses it uses the product too. Otherwise a folder is
product: with the base's version of product code, the tests would not judge the story's.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Final

from shiftwork.domain.canary.source_root import is_changeable, is_manifest, source_root
from shiftwork.domain.tampering.findings import Protection, Touched
from shiftwork.domain.tampering.protected_paths import CONFIGURATION, FOLDERS, is_configuration, is_test
from shiftwork.domain.text.file_types import ending, is_source
from shiftwork.domain.text.globs import matches
from shiftwork.records import dataclass
from shiftwork.regexes import regex

FILES: Final = 5000
"""In a larger repository no folder is known to be of tests alone."""

_SETTINGS: Final = frozenset({"toml", "cfg", "ini", "json", "yml", "yaml", "gradle", "mk", "nix", "xml"})
_SETTING_NAMES: Final = ("Dockerfile*", "Procfile", "Makefile", "justfile", "Gemfile", "Rakefile", "*.gemspec")
_IMPORT: Final = regex(
    r"""^[ \t]*(?:import|from|export|use|load|include|require\w*|mod)\b[^\n]*|\bfrom[ \t]*['"][^'"\n]*
    |\b(?:require\w*|import|import_module|mock)[ \t]*\([ \t]*['"][^'"\n]*
    |^[ \t]+(?:[\w.]+[ \t]+)?"[\w./-]+"[ \t]*$""",
    re.MULTILINE | re.VERBOSE,
)
_QUOTED: Final = regex(r"""'[^'\n]{1,200}'|"[^"\n]{1,200}\"""")
_WORD: Final = regex(r"[\w-]+")
_TEST_WORD: Final = regex(r"[_-]?(?:tests?|spec)[_-]?")
_NAMELESS: Final = frozenset({"index", "__init__", "mod", "__main__"})
_SCRIPTS: Final = frozenset({"js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"})
_PYTHON: Final = "py"
_GO: Final = "go"
_IMPORTING: Final = frozenset({_PYTHON, _GO, *_SCRIPTS})
"""Files of these languages use nothing of another file, or of Go another folder, that they do not import or quote."""
_ROUTED: Final = frozenset({"pages", "routes", "api", "layouts", "middleware", "functions"})
_ENTRY_NAMES: Final = frozenset(
    ["page", "layout", "route", "template", "loading", "error", "not-found", "default", "middleware", "instrumentation"]
)
_NAMES_OF_PRODUCT: Final = """
    src lib app apps pkg internal packages python cmd server client api web pages routes views controllers models
    components layouts middleware functions handlers migrations
"""
_PRODUCT: Final = frozenset(_NAMES_OF_PRODUCT.split())
"""Names of folders of products: frameworks load the files of some of them by name."""

_PATHS_KNOWN: Final = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportSearch:
    """The folders of a change that may be of tests alone, and what to read to find out: first the `tests`, and what is
    `within` the folders, then the `others`. Of files that were `added` since it was measured what tests load, only the
    imports of tests are known.
    """

    folders: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    added: frozenset[str] = frozenset()


def is_searched(paths: Iterable[str]) -> bool:
    """Whether the repository is small enough to look for code that tests alone use."""
    return sum(map(is_source, paths)) <= FILES


def plan_search(touched: Iterable[Touched], paths: Collection[str], protection: Protection) -> SupportSearch:
    """Empty where no changed file can be in such a folder."""
    manifests = {path.rpartition("/")[0] for path in paths if is_manifest(path)}
    changed = {source_root(change.path, manifests) for change in touched if is_changeable(change.path, protection)}
    folders = tuple(sorted(root for root in changed if _may_be_support(root, manifests)))
    code = [path for path in paths if is_source(path)]
    if not folders or not is_searched(paths):
        return SupportSearch()
    tests = tuple(path for path in code if _is_of_tests(path, protection))
    known = frozenset(tests)
    within = tuple(path for path in code if path not in known and _is_in(path, folders))
    others = (path for path in paths if path not in known and not _is_in(path, folders) and _may_name(path))
    return SupportSearch(folders=folders, tests=tests, within=within, others=tuple(others))


def find_support(
    search: SupportSearch, texts: Mapping[str, str], protection: Protection, named: Collection[str] = ()
) -> frozenset[str]:
    """The files, within the folders of the search, that only tests use. Files `named` by the settings of a runner are
    no product either.
    """
    product = [path for path in search.others if is_changeable(path, protection) and path not in named]
    return frozenset(
        path
        for folder in search.folders
        if _is_support(folder, search, texts, product)
        for path in search.within
        if _is_in(path, (folder,))
    )


def plan_unnamed(
    touched: Iterable[Touched],
    paths: Collection[str],
    measured: Collection[str],
    protection: Protection,
    added: frozenset[str] = frozenset(),
) -> SupportSearch:
    """The changed code of the base that its test gates were `measured` to load, or that was `added` since, as what is
    `within`; without what is known to be of tests. Empty where there is none.
    """
    known = protection.loaded | protection.support
    changed = tuple(
        change.path
        for change in touched
        if change.letter != "A"
        and (change.path in measured or change.path in added)
        and change.path not in known
        and is_source(change.path)
        and not (_is_of_tests(change.path, protection) or is_configuration(change.path))
    )
    if not changed or not is_searched(paths):
        return SupportSearch()
    tests = tuple(path for path in paths if is_source(path) and _is_of_tests(path, protection))
    others = tuple(path for path in paths if path not in frozenset(tests) and _may_name(path))
    return SupportSearch(tests=tests, within=changed, others=others, added=added)


def find_unnamed(search: SupportSearch, texts: Mapping[str, str]) -> frozenset[str]:
    """The files of the search that nothing but tests names. A file that a test imports by itself, without another part
    of the product, or after which it is named, is what the test is about. Only Python loads modules that no source
    imports: in other languages a test must import the file. Runners of JavaScript read every file, and compilers read
    every file of a package.
    """
    code = [path for path in search.others if is_source(path)]
    named_in = _invert({path: _all_mentioned(path, texts.get(path, "")) for path in search.others})
    named_by = _invert({path: _import_words(path) for path in code})
    imports = {test: _imported(texts.get(test, "")) for test in search.tests}
    used_by = {test: _named_within(words, named_by) for test, words in imports.items()}
    packages = {_folder(path) for path in code if ending(path) == _GO}

    def is_unnamed(path: str) -> bool:
        name = _import_words(path)
        mentions = set.intersection(*(named_in.get(word, set()) for word in name))
        if mentions - {path} or _is_entry_point(path):
            return False
        using = [test for test, used in used_by.items() if path in used]
        if not using:
            return ending(path) == _PYTHON and path not in search.added
        if any(_is_named_after(test, path) for test in using):
            return False
        return all(
            matches(CONFIGURATION, test)
            or any(_import_words(other) != name for other in used_by[test])
            or (ending(test) == _GO and _folder(test) in packages)
            for test in using
        )

    return frozenset(filter(is_unnamed, search.within))


def _is_named_after(test: str, path: str) -> bool:
    """Whether it is `test_cart.py`, `cart.test.js` or `CartTest.java` of a `cart`."""
    stem, name = (place.rpartition("/")[2].partition(".")[0].lower() for place in (path, test))
    return _TEST_WORD.sub("", name) == stem


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _invert(words: Mapping[str, Iterable[str]]) -> dict[str, set[str]]:
    """The paths by each of their words."""
    found: dict[str, set[str]] = {}
    for path, own in words.items():
        for word in own:
            found.setdefault(word, set()).add(path)
    return found


def _named_within(words: frozenset[str], named_by: Mapping[str, set[str]]) -> set[str]:
    """The paths that these words name."""
    candidates = {path for word in words for path in named_by.get(word, ())}
    return {path for path in candidates if _import_words(path) <= words}


def _is_entry_point(path: str) -> bool:
    """Whether frameworks of JavaScript load the file because of its place or its name."""
    *folders, name = path.split("/")
    is_routed = not _ROUTED.isdisjoint(folders) or name.partition(".")[0] in _ENTRY_NAMES
    return ending(path) in _SCRIPTS and is_routed


def _is_support(folder: str, search: SupportSearch, texts: Mapping[str, str], product: Collection[str]) -> bool:
    own = [path for path in search.within if _is_in(path, (folder,))]
    using = [words for path in search.tests if _uses_any(words := _imported(texts.get(path, "")), own)]
    if not using or not all(_uses_any(words, product) for words in using):
        return False
    if any(_uses_any(_imported(texts.get(path, "")), product) for path in own):
        return False
    name = folder.rpartition("/")[2]
    return not any(name in _mentioned(path, texts.get(path, "")) for path in search.others)


def _uses_any(words: frozenset[str], paths: Iterable[str]) -> bool:
    return any(_import_words(path) <= words for path in paths)


@lru_cache(maxsize=_PATHS_KNOWN)
def _import_words(path: str) -> frozenset[str]:
    """The words by which an import names a file: its own, and that of its folder. Go imports folders."""
    folder, _, name = path.rpartition("/")
    stem, above = name.partition(".")[0], folder.rpartition("/")[2]
    if above and ending(path) == _GO:
        return frozenset({above})
    own = above if stem in _NAMELESS and above else stem
    return frozenset({own} if above in {"", *_PRODUCT} else {own, above})


def _imported(text: str) -> frozenset[str]:
    return frozenset(word for found in _IMPORT.findall(text) for word in _WORD.findall(found))


def _all_mentioned(path: str, text: str) -> frozenset[str]:
    """What the file mentions; of a language whose code uses what is in the same package without importing it, any word
    may name a file.
    """
    imports_all = not is_source(path) or ending(path) in _IMPORTING
    return _mentioned(path, text) if imports_all else frozenset(_WORD.findall(text))


def _mentioned(path: str, text: str) -> frozenset[str]:
    """The words of a file that may name a folder of code: of settings all, of code imports and what is quoted."""
    if not is_source(path):
        return frozenset(_WORD.findall(text))
    quoted = (word for found in _QUOTED.findall(text) for word in _WORD.findall(found))
    return _imported(text) | frozenset(quoted)


def _may_be_support(root: str, manifests: Collection[str]) -> bool:
    return root != "." and root not in manifests and root.rpartition("/")[2] not in _PRODUCT


def _is_of_tests(path: str, protection: Protection) -> bool:
    return matches((*FOLDERS, *CONFIGURATION), path) or is_test(path, protection)


def _may_name(path: str) -> bool:
    return is_source(path) or ending(path) in _SETTINGS or matches(_SETTING_NAMES, path)


def _is_in(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in folders)
