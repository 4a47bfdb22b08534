"""Commands typed in this process, for tests of what they read, print and write: nothing else is started."""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from shiftwork.entrypoints.cli.group import group
from shiftwork.errors import ShiftworkError
from tests.json_documents import check_lines


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """A folder to type in; `env` is added to that of the tests."""

    root: Path
    env: Mapping[str, str] = field(default_factory=dict)

    def types(self, *words: str) -> Result:
        with contextlib.chdir(self.root):
            return CliRunner(env=self.env).invoke(group, words, prog_name="shiftwork")

    def prints(self, *words: str) -> str:
        done = self.types(*words)
        assert done.exception is None, done.exception
        return done.stdout

    def document(self, *words: str) -> dict[str, Any]:
        printed = self.prints(*words, "--json")
        check_lines(printed)
        document: dict[str, Any] = json.loads(printed)
        return document

    def refused(self, *words: str) -> ShiftworkError:
        """The error, after which nothing has been printed."""
        failed = self.types(*words)
        assert isinstance(failed.exception, ShiftworkError), failed
        assert failed.stdout == ""
        return failed.exception
