"""Which file starts inside the sandbox before a program that has a proxy: compiled, but never out of date."""

import py_compile
import subprocess
import sys
from pathlib import Path

from shiftwork.adapters.sandbox.network.gateway import compiled


def test_what_is_compiled_is_taken_where_it_is_up_to_date(tmp_path: Path) -> None:
    source = tmp_path / "door.py"
    source.write_text("print('old')")
    assert compiled(source) == source, "nothing was compiled yet"
    py_compile.compile(str(source), doraise=True, invalidation_mode=py_compile.PycInvalidationMode.TIMESTAMP)
    taken = compiled(source)
    assert taken.suffix == ".pyc"
    printed = subprocess.run([sys.executable, "-I", "-S", taken], capture_output=True, text=True, check=True).stdout
    assert printed == "old\n"
    source.write_text("print('newer')")
    assert compiled(source) == source, "it was compiled from something else"
