"""The check that a team has on its commit messages: which one a commit brings along, and what its answer means.

Git runs one commit-msg hook. So one check is in force: the hook that git would run, else the tool whose settings the
commit contains. It is always that of the base, because a story must not edit what judges it.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from shiftwork.domain.proof.commit_trailers import RUN, UNPROVED, own_lines, stories_named, trailers
from shiftwork.domain.text.readable import readable
from shiftwork.records import dataclass
from shiftwork.regexes import regex

MESSAGE_FILE: Final = ".git/COMMIT_EDITMSG"
"""Where the hook finds the message, from the root of its tree: the same place as with git."""

NOT_INSTALLED: Final = 97
"""The exit code of our own command if a tool that only settings name is not installed where gates run. No linter ends
with it unless a message breaks as many rules.
"""

_EXECUTABLE: Final = "100755"
_HOOK: Final = "commit-msg"
_HUSKY: Final = f".husky/{_HOOK}"
_SHOWN: Final = 2000
"""So many characters of a hook's output are shown: its end."""


class HookUse(StrEnum):
    """When the hook is asked: only in a sandbox, also without one, or never."""

    AUTO = "auto"
    ALWAYS = "always"
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitHook:
    """`name` is what people know it by: the path of the hook, or of the settings of its tool. `command` checks the
    message in `MESSAGE_FILE`, and may change it.
    """

    name: str
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HookAnswer:
    """The hook's answer about one message; `message` is what the file contained afterwards. `absent` is set if the tool
    is not installed where gates run: then there is no answer.
    """

    hook: str
    accepted: bool
    message: str = ""
    output: str = ""
    absent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The message that lands; that of the hook, if it has changed ours."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """Why no form of the message passes, and the first of them."""

    message: str
    why: str


# Which one is in force -------------------------------------------------------------------------------------------

_PRE_COMMIT: Final = (".pre-commit-config.yaml", ".pre-commit-config.yml")
_PRE_COMMIT_STAGE: Final = regex(
    r"^[^#\n]*(?:\bcommit-msg\b|\bid:\s*['\"]?(?:commitizen|conventional-pre-commit|gitlint|commitlint)\b)",
)
"""A hook of that stage: named by the settings, or a well-known one whose own repository names the stage."""

_PACKAGE: Final = "package.json"
_COMMITLINT_KEY: Final = regex(r'"commitlint"\s*:\s*[{"]')
_COMMITLINT: Final = regex(
    r"\.commitlintrc(?:\.(?:json|ya?ml|[cm]?[jt]s))?|commitlint\.config\.[cm]?[jt]s",
)
_GITLINT: Final = ".gitlint"


def files_to_read(paths: Mapping[str, str]) -> tuple[str, ...]:
    """Those of the commit's files whose text decides; `paths` has the mode of each."""
    return tuple(path for path in (*_PRE_COMMIT, _PACKAGE) if path in paths)


def find_hook(paths: Mapping[str, str], texts: Mapping[str, str], hooks_folder: str) -> CommitHook | None:
    """The check of a commit with these files, if it has one. `hooks_folder` is git's `core.hooksPath`, from the root;
    empty if it is elsewhere or not set.
    """
    own = f"{hooks_folder}/{_HOOK}".removeprefix("./")
    if hooks_folder and own != _HUSKY and paths.get(own) == _EXECUTABLE:  # git ignores others
        return CommitHook(name=own, command=f"./{_quoted(own)} {MESSAGE_FILE}")
    if _HUSKY in paths:
        return CommitHook(name=_HUSKY, command=_husky(is_executable=paths[_HUSKY] == _EXECUTABLE))
    for path in _PRE_COMMIT:
        if path in paths and any(map(_PRE_COMMIT_STAGE.match, texts.get(path, "").split("\n"))):
            return CommitHook(name=path, command=_PRE_COMMIT_COMMAND)
    found = [path for path in paths if "/" not in path and _COMMITLINT.fullmatch(path)]
    if not found and _COMMITLINT_KEY.search(texts.get(_PACKAGE, "")):
        found = [_PACKAGE]
    if found:
        return CommitHook(name=found[0], command=_COMMITLINT_COMMAND)
    return CommitHook(name=_GITLINT, command=_GITLINT_COMMAND) if _GITLINT in paths else None


def _husky(*, is_executable: bool) -> str:
    """As husky's own starter does: with the project's programs on the path. Hooks of older versions read a file that
    only an installation creates.
    """
    starter = ".husky/_/husky.sh"
    there = f"[ -e {starter} ] || {{ mkdir -p .husky/_ && : > {starter}; }}"
    run = f"./{_HUSKY}" if is_executable else f"sh -e {_HUSKY}"
    return f'{there}\nPATH="$PWD/node_modules/.bin:$PATH" {run} {MESSAGE_FILE}'


def _or_absent(condition: str, command: str) -> str:
    return f"{condition} >/dev/null 2>&1 || exit {NOT_INSTALLED}\n{command}"


_COMMITLINT_COMMAND: Final = _or_absent(
    "[ -e node_modules/.bin/commitlint ]", f"node_modules/.bin/commitlint --edit {MESSAGE_FILE}"
)
_GITLINT_COMMAND: Final = _or_absent("command -v gitlint", f"gitlint --msg-filename {MESSAGE_FILE}")
_PRE_COMMIT_RUN: Final = f"run --hook-stage {_HOOK} --commit-msg-filename {MESSAGE_FILE}"
_PRE_COMMIT_COMMAND: Final = "\n".join(
    (
        f"command -v pre-commit >/dev/null 2>&1 && exec pre-commit {_PRE_COMMIT_RUN}",
        f"command -v prek >/dev/null 2>&1 && exec prek {_PRE_COMMIT_RUN}",
        _or_absent("python3 -m pre_commit --version", f"exec python3 -m pre_commit {_PRE_COMMIT_RUN}"),
    )
)


def _quoted(path: str) -> str:
    return "'" + path.replace("'", "'\\''") + "'"


# What its answer means -------------------------------------------------------------------------------------------


def judged_form(asked: str, answer: HookAnswer) -> Accepted | Denied:
    """What the answer about one form of a message means. A changed message lands if our trailers are still in it, and
    nothing that looks like them was added.
    """
    if not answer.accepted:
        words = answer.output.strip()[-_SHOWN:].strip() or "it printed nothing"
        return Denied(message=asked, why=f"{answer.hook} refused the commit message `{_subject(asked)}`:\n{words}")
    message = readable(answer.message).strip()
    if message == asked.strip():
        return Accepted(message=asked)
    if not _subject(message) or _own_words(message) != _own_words(asked):
        why = f"{answer.hook} changed the commit message `{_subject(asked)}`. Its last paragraph must keep these lines"
        only = "and no other line may look like them, or like git's words about a revert"
        return Denied(message=asked, why="\n".join((f"{why}, {only}:", *_own_trailers(asked))))
    return Accepted(message=message)


def _own_words(message: str) -> Sequence[object]:
    return [_own_trailers(message), own_lines(message), *stories_named(message)]


def _own_trailers(message: str) -> Sequence[str]:
    return [f"{key}: {value}" for key in (RUN, UNPROVED) for value in trailers(message, key)]


def _subject(message: str) -> str:
    return message.partition("\n")[0]
