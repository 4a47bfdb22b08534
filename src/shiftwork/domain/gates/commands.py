"""Which files of a project a gate's command names: they judge the product as tests do, whatever their names."""

import re
import shlex
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate, dropwhile, groupby, pairwise, takewhile
from typing import Final

from shiftwork.domain.text.file_types import ending, is_source
from shiftwork.records import dataclass
from shiftwork.regexes import regex

_BEFORE: Final = """
    env time nice nohup exec command timeout xargs uv uvx run poetry pipenv pdm hatch rye npx pnpm yarn bunx bundle mise
    then else do if while ! {
"""
_WRAPPERS: Final = frozenset(_BEFORE.split())
_SHELLS: Final = regex(r"(ba|da|z|k)?sh")
INTERPRETERS: Final = regex(
    r"(ba|da|z|k)?sh|source|\.|python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|g?make|just|Rscript|pwsh"
)
_BUILT_IN: Final = frozenset({"cd", "test", "[", "echo", "printf", "true", "false", "set", "export", "exit", ":", "."})
_SKIPPED: Final = regex(r"\w+=.*|\d+[smhd]?", re.DOTALL)
_MODULE_PATH: Final = regex(r"\bPYTHONPATH=([^\s;&|]+)")
_HERE: Final = regex(r"^(?:\$(?:OLD)?PWD|\$\{(?:OLD)?PWD\}|\$\(pwd\)|`pwd`)(?=/|$)")
_ELSEWHERE: Final = regex(r"[/~-]|\.\.(?:/|$)|.*[$`*?]", re.DOTALL)
_OPERATOR: Final = regex(r"[();<>|&\n]+")

TOOLING: Final = frozenset({"scripts", "script", "tools", "tool", "bin", "ci", "hack", "dev", "make", "tasks"})
"""Folders for programs that work on the project: where a gate starts one of these, it may start the others too."""

_FIRST: Final = r"""\s*(?:\w+=\S*\s+|(?:uv|poetry|pdm|hatch|pipenv)\s+run\s+|(?:\S*/)?python[\d.]*\s+-m\s+|npx\s+
    |bunx\s+|pnpm\s+exec\s+|yarn\s+)*(?:\S*/)?"""
_LINTERS: Final = r"""ruff|black|flake8|mypy|pyright|pylint|isort|bandit|py_compile|compileall|eslint|prettier|biome|tsc
    |node\s+--check|shellcheck|shfmt|gcc|g\+\+|cc|c\+\+|clang|clang\+\+|javac|kotlinc|rustc|rustfmt|gofmt|rubocop"""
_LOOKING: Final = r"grep|egrep|fgrep|rg|cat|head|tail|wc|diff|cmp|ls|stat|test|\["
_LINTS: Final = regex(rf"{_FIRST}(?:{_LINTERS})(?:\s|$)", re.VERBOSE)
_READS: Final = regex(rf"{_FIRST}(?:{_LINTERS}|{_LOOKING})(?:\s|$)", re.VERBOSE)
_SCRIPTS: Final = frozenset({"sh", "bash", "zsh", "fish", "bats", "ps1", "bat", "cmd"})
_CHECKS: Final = """
    check checks checker test tests testing lint linter verify validate smoke ci qa gate gates spec specs suite runner
    harness audit
"""
_CHECKING: Final = frozenset(_CHECKS.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """`run` are scripts that a command runs, and files that it gets as options: they are not product code. Files in
    `otherwise` may be either. `folders` are the working folders of commands, and the folders of the scripts.
    """

    run: frozenset[str] = frozenset()
    otherwise: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()


@cache
def named(commands: tuple[str, ...]) -> Named:
    found = [item for command in commands for item in _named(command)]
    run = frozenset(path for path, is_run in found if is_run)
    folders = {folder for command in commands for folder in (*_works_in(command), *_module_folders(command))}
    return Named(
        run=run,
        otherwise=frozenset(path for path, _ in found) - run,
        folders=frozenset(folders | {path.rpartition("/")[0] for path in run}),
    )


def _works_in(command: str) -> Iterator[str]:
    return (folder for folder, _ in _parts(command))


def _module_folders(command: str) -> Iterator[str]:
    """The folders that a command adds to Python's module path."""
    for found in _MODULE_PATH.finditer(command):
        for part in found[1].strip("\"'").split(":"):
            yield _plain(_HERE.sub("", part))


def is_check_script(path: str) -> bool:
    """Whether a file that a command names checks the product, by its name, folder or language. Otherwise it may be part
    of the product, such as an entry point that a gate starts.
    """
    if not is_source(path) or ending(path) in _SCRIPTS:
        return True
    # `bin` may also contain programs that are installed for users.
    tools = not (TOOLING - {"bin"}).isdisjoint(path.split("/")[:-1])
    return tools or not _CHECKING.isdisjoint(word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", path))


def without_reading(command: str) -> str:
    """The command without the parts that only read the files they name, as linters and compilers do."""
    return " ; ".join(part for part in split(command) if not _READS.match(part))


def only_lints(command: str) -> bool:
    """Whether the command starts only linters, type checkers and compilers."""
    return all(map(_LINTS.match, split(command)))


def starting(programs: str) -> re.Pattern[str]:
    """Matches a part of a command that starts one of these programs, by itself or through a runner such as `uv run`."""
    return regex(rf"{_FIRST}(?:{programs})(?![\w./-])", re.VERBOSE)


def split(command: str) -> list[str]:
    return re.split(r"&&|\|\||[;|\n]", command)


def program(command: str) -> str:
    """The first program that the command starts, without shell built-ins; empty where there is none."""
    for _, words in _parts(command):
        found = list(dropwhile(_before_a_program, words))
        if found and found[0] not in _BUILT_IN:
            return found[0]
    return ""


def working_folders(command: str) -> tuple[str, ...]:
    """The folders of the tree that a command changes to, up to the first that is elsewhere or only a shell knows."""
    words = _words(command)
    named = (after for before, after in pairwise(words) if before == "cd")
    inside = takewhile(lambda folder: not _ELSEWHERE.match(folder), named)
    return tuple(accumulate(map(_plain, inside), lambda folder, below: _plain(f"{folder}/{below}")))


def _named(command: str) -> Iterator[tuple[str, bool]]:
    for folder, words in _parts(command):
        for path, run in _of_one(words):
            yield path, run
            if folder:
                yield _plain(f"{folder}/{path}"), run


def _parts(command: str) -> Iterator[tuple[str, Sequence[str]]]:
    """The words of each command in it, and its working folder."""
    folder = ""
    for operator, group in groupby(_words(command), key=lambda word: bool(_OPERATOR.fullmatch(word))):
        words = [] if operator else list(group)
        if words[:1] == ["cd"]:
            folder = _plain("/".join((folder, *words[1:2])))
        yield folder, words


def _words(command: str) -> Sequence[str]:
    try:
        lexer = shlex.shlex(command.replace("\n", " ; "), posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        return list(lexer)
    except ValueError:  # an unclosed quote: the shell will refuse it too
        return command.split()


def _of_one(words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """One command: its script, the files it gets as options, and the rest."""
    words = list(dropwhile(_before_a_program, words))
    if not words:
        return
    yield _plain(words[0]), True
    awaited = INTERPRETERS.fullmatch(_name(words[0])) and "-m" not in words
    for before, word in pairwise(words):
        option, equals, value = word.partition("=") if word.startswith("-") else ("", "=", word)
        if " " in word:
            # `sh -c 'one; another'`; for other programs, an argument with spaces is not a command.
            yield from _named(word) if _SHELLS.fullmatch(_name(words[0])) else ()
        elif equals:
            script = bool(awaited and not option and re.search(r"[./]", value))
            awaited = awaited and not script
            given = bool(option or before.startswith("-"))
            yield _plain(value), script or (given and not is_source(value))


def _before_a_program(word: str) -> bool:
    return _name(word) in _WRAPPERS or word.startswith("-") or _SKIPPED.fullmatch(word) is not None


def _name(word: str) -> str:
    return word.rpartition("/")[2]


def _plain(word: str) -> str:
    """The path as git names it: without `./`, `..` and the variable for the folder where a gate starts."""
    parts: list[str] = []
    for part in _HERE.sub("", word).split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)
