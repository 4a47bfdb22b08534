"""Merges files with both dependencies and test runner settings: the story's dependencies, the base's settings."""

import configparser
import io
import json
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, Final

import tomli_w

from shiftwork.domain.tampering.runner_keys import with_keys

_BYTES: Final = 4 * 1024 * 1024
"""For a larger file the base's version is used: no tool's settings are so long."""


def merged(path: str, base: bytes, story: bytes) -> bytes:
    """The story's file with the base's runner settings, or either file unchanged if it already says the same. Returns
    the base's file if the story's cannot be read; a file that only the base has keeps just its runner settings.
    """
    read, write = _FORMATS[path.rpartition(".")[2]]
    if len(story) > _BYTES:
        return base
    try:
        before, after = [read(content.decode()) if content else {} for content in (base, story)]
        made = with_keys(path, before, after)
        if made is None:
            return story
        return base if made == before else write(made).encode()
    except (ValueError, RecursionError, configparser.Error):
        return base


def _read_sections(text: str) -> Mapping[str, Any]:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign] # option names keep their case
    parser.read_string(text)
    return {section: dict(parser.items(section)) for section in parser.sections()}


def _write_sections(table: Mapping[str, Any]) -> str:
    parser = configparser.RawConfigParser(allow_no_value=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign] # as above
    parser.read_dict(table)
    written = io.StringIO()
    parser.write(written)
    return written.getvalue()


def _read_object(text: str) -> Mapping[str, Any]:
    read = json.loads(text)
    if not isinstance(read, dict):
        raise ValueError("not an object")  # noqa: TRY004 - as for any other invalid file
    return read


def _write_object(table: Mapping[str, Any]) -> str:
    return json.dumps(table, indent=2) + "\n"


_FORMATS: Final[Mapping[str, tuple[Callable[[str], Mapping[str, Any]], Callable[[Mapping[str, Any]], str]]]] = {
    "json": (_read_object, _write_object),
    "toml": (tomllib.loads, tomli_w.dumps),
    "cfg": (_read_sections, _write_sections),
}
