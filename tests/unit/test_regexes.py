"""Patterns that are compiled when they are first used are like those of `re`."""

import re
import subprocess
import sys

import pytest

from shiftwork.regexes import regex


def test_a_pattern_is_like_one_of_re() -> None:
    lazy, compiled = regex(r"(?P<word>a+)b", re.IGNORECASE), re.compile(r"(?P<word>a+)b", re.IGNORECASE)
    assert (lazy.pattern, lazy.flags, lazy.groups) == (compiled.pattern, compiled.flags, compiled.groups)
    assert [found["word"] for found in lazy.finditer("AAb ab b")] == ["AA", "a"]
    assert lazy.sub("-", "xaby") == compiled.sub("-", "xaby") == "x-y"
    assert lazy.match(" ab") is None


def test_a_pattern_of_bytes_reads_bytes() -> None:
    assert regex(rb"\d+").findall(b"1 and 22") == [b"1", b"22"]


def test_a_mistake_is_reported_at_the_first_use() -> None:
    wrong = regex("(")
    with pytest.raises(re.error):
        wrong.search("")


def test_nothing_of_the_product_is_compiled_before_it_is_used() -> None:
    program = (
        "import re, sys\n"
        "original, found = re.compile, []\n"
        "def watched(text, flags=0):\n"
        "    found.append(sys._getframe(1).f_globals['__name__'])\n"
        "    return original(text, flags)\n"
        "re.compile = watched\n"
        "import shiftwork.entrypoints.cli.work.run_command, shiftwork.bootstrap.work.ports\n"
        "print(sorted({name for name in found if name.startswith('shiftwork')}))\n"
    )
    ended = subprocess.run((sys.executable, "-c", program), capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"
