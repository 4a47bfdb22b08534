"""Which gates run tests: only these can show that a change does what it should, and only these must see the tree."""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from shiftwork.domain.gates.commands import only_lints
from shiftwork.domain.gates.gate import Gate
from shiftwork.regexes import regex

_NAMES: Final = frozenset({"test", "tests", "unit", "integration", "e2e", "check", "ci"})
_PREPARING: Final = frozenset({"build", "compile", "bundle", "generate", "codegen", "assemble"})
_RUNNERS: Final = regex(
    r"""(?<![\w./-])(?:[\w./-]*/)?(?:
        pytest | py\.test | unittest | nose2 | tox | nox | behave | stestr | trial
      | jest | vitest | mocha | ava | tap | karma | cypress | playwright | node\s+(?:\S+\s+)*--test
      | (?:npm|pnpm|yarn|bun|deno|cargo|go|swift|dotnet|flutter|dart|mix|rake|rails|bazel|zig|sbt|just|make)
        (?:\s+-[\w=.-]+)*(?:\s+run)?\s+test(?::[\w:-]+)?
      | cargo\s+nextest | gotestsum | rspec | minitest | phpunit | pest | ctest | bats | prove
      | mvnw?(?:\s+-\S+)*\s+(?:test|verify|package|install) | gradlew?(?:\s+-\S+)*\s+(?:test|check|build)
    )(?![\w.-])""",
    re.VERBOSE,
)


def is_test_gate(gate: Gate) -> bool:
    """Decides by the settings, by the words of its name, or because its command starts a known test runner. A gate that
    only reads the sources, such as a type checker, is not a test gate, whatever its name.

    A story's verification step checks one criterion and is not a test gate.
    """
    if gate.step is not None or gate.kind:
        return gate.step is None and gate.kind == "test"
    if _RUNNERS.search(gate.command):
        return True
    return not _NAMES.isdisjoint(_words(gate)) and not only_lints(gate.command)


def runs_tests(gate: Gate) -> bool:
    """Whether it is a test gate, or a verification step that starts a known test runner."""
    return is_test_gate(gate) or (gate.step is not None and _RUNNERS.search(gate.step.command) is not None)


def only_reads(gate: Gate) -> bool:
    """Whether it starts only linters, type checkers and compilers, so that its result does not depend on tests."""
    return gate.step is None and not gate.kind and only_lints(gate.command)


def with_preparation(gate: Gate, gates: Sequence[Gate]) -> tuple[Gate, ...]:
    """The gate, and the gates before it that build what it may test."""
    before = takewhile(lambda item: item != gate, gates)
    return (*(item for item in before if not _PREPARING.isdisjoint(_words(item))), gate)


def _words(gate: Gate) -> list[str]:
    return re.split(r"[^a-z0-9]+", gate.name.lower())
