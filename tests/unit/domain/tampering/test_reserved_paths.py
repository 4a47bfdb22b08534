"""Which paths nothing may land on: git's and the harness's own, however they are spelled."""

import pytest

from shiftwork.domain.tampering.reserved_paths import is_reserved

SPELLINGS = [
    ".git",
    ".GIT",
    ".git/config",
    "deep/.Git/hooks/x",
    ".git.",
    ".git . .",
    ".git ",
    ".git::$INDEX_ALLOCATION/config",
    ".g\u200cit/config",
    "\ufeff.git",
    "git~1",
    "GIT~2/config",
    "gi7eba~1",
    ".shiftwork/hub.git/commondir",
    ".ShiftWork",
    ".shiftwork./x",
    "SHIFTW~1/state.db",
    "sub/.shiftwork",
    "a\\.git\\config",
    ".\u017fhiftwork",
]
ORDINARY = [
    ".gitignore",
    ".gitattributes",
    ".github/workflows/ci.yml",
    "git",
    "shiftwork/workflows/own.yml",
    "shiftwork.toml",
    "src/shiftwork/x.py",
    "git~",
    "legit~1",
    "a.git/HEAD",
]


@pytest.mark.parametrize("path", SPELLINGS)
def test_what_a_file_system_may_take_for_one_of_them_is_reserved(path: str) -> None:
    assert is_reserved(path)


@pytest.mark.parametrize("path", ORDINARY)
def test_other_names_are_not(path: str) -> None:
    assert not is_reserved(path)
