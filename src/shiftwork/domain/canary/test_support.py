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
    |\b(?:require\w*|import|import_module|mock)[ \t]*\([ \t]*['"][^'"\n]*""",
    re.MULTILINE | re.VERBOSE,
)
_QUOTED: Final = regex(r"""'[^'\n]{1,200}'|"[^"\n]{1,200}\"""")
_WORD: Final = regex(r"[\w-]+")
_NAMELESS: Final = frozenset({"index", "__init__", "mod", "__main__"})
_SCRIPTS: Final = frozenset({"js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"})
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
    `within` the folders, then the `others`.
    """

    folders: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def plan_search(touched: Iterable[Touched], paths: Collection[str], protection: Protection) -> SupportSearch:
    """Empty where no changed file can be in such a folder."""
    manifests = {path.rpartition("/")[0] for path in paths if is_manifest(path)}
    changed = {source_root(change.path, manifests) for change in touched if is_changeable(change.path, protection)}
    folders = tuple(sorted(root for root in changed if _may_be_support(root, manifests)))
    code = [path for path in paths if is_source(path)]
    if not folders or len(code) > FILES:
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
    touched: Iterable[Touched], paths: Collection[str], measured: Collection[str], protection: Protection
) -> SupportSearch:
    """The changed code of the base that its test gates were `measured` to load, as what is `within`; without what is
    known to be of tests. Empty where there is none.
    """
    known = protection.loaded | protection.support
    changed = tuple(
        change.path
        for change in touched
        if change.letter != "A"
        and change.path in measured
        and change.path not in known
        and is_source(change.path)
        and not (_is_of_tests(change.path, protection) or is_configuration(change.path))
    )
    code = sum(map(is_source, paths))
    if not changed or code > FILES:
        return SupportSearch()
    tests = tuple(path for path in paths if is_source(path) and _is_of_tests(path, protection))
    others = tuple(path for path in paths if path not in frozenset(tests) and _may_name(path))
    return SupportSearch(tests=tests, within=changed, others=others)


def find_unnamed(search: SupportSearch, texts: Mapping[str, str]) -> frozenset[str]:
    """The files of the search that nothing but tests names. A file that a test imports by itself, without another part
    of the product, is what the test is about. Runners of JavaScript read every file: there a test must import it.
    """
    mentioned = {path: _mentioned(path, texts.get(path, "")) for path in search.others}
    imported = {path: _imported(texts.get(path, "")) for path in search.tests}
    return frozenset(path for path in search.within if _is_unnamed(path, mentioned, imported))


def _is_unnamed(path: str, mentioned: Mapping[str, frozenset[str]], imported: Mapping[str, frozenset[str]]) -> bool:
    name = _import_words(path)
    if any(name <= words for other, words in mentioned.items() if other != path):
        return False
    using = {test: words for test, words in imported.items() if name <= words}
    if not using:
        return ending(path) not in _SCRIPTS
    others = [other for other in mentioned if other != path and is_source(other)]
    return all(matches(CONFIGURATION, test) or _uses_any(words, others) for test, words in using.items())


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
    """The words by which an import names a file: its own, and that of its folder."""
    folder, _, name = path.rpartition("/")
    stem, above = name.partition(".")[0], folder.rpartition("/")[2]
    own = above if stem in _NAMELESS and above else stem
    return frozenset({own} if above in {"", *_PRODUCT} else {own, above})


def _imported(text: str) -> frozenset[str]:
    return frozenset(word for found in _IMPORT.findall(text) for word in _WORD.findall(found))


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
