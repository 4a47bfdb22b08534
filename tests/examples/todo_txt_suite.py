"""The suite for spec formats on the example; `test_a_spec_format` runs it in a package that has the example."""

from pathlib import Path

from shiftwork.adapters.specs.open import FileSpecs
from shiftwork.ports.specs import Specs
from shiftwork.testing.conformance.specs import SpecsConformance


class TestTodoTxt(SpecsConformance):
    file = "todo.txt"
    sample = "x Save it id:save\nSend it id:send needs:save\nCheck it id:check needs:save\nCount them id:count\n"
    ids = ("save", "send", "check", "count")

    def specs(self, root: Path) -> Specs:
        return FileSpecs(root=root)

    def landed(self, number: int) -> str:
        lines = self.sample.splitlines()
        lines[number - 1] = f"x {lines[number - 1]}"
        return "\n".join(lines) + "\n"
