"""A new fact is a class and an entry in the table of its slice; a message is the fact that its receiver records."""

import pytest

from tests.examples.package_copy import EXAMPLES, PackageCopy

pytestmark = pytest.mark.slow

FACT = """\
\"\"\"Facts about the branch of a run.\"\"\"

from shiftwork.domain.core.fact import Fact
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchMoved(Fact):
    branch: str
"""
EFFECT = """
        on(run_facts.BranchMoved, lambda run, fact: replace(run, plan=replace(run.given, branch=fact.branch))),"""


def test_it_is_stored_sent_and_changes_the_state(package: PackageCopy) -> None:
    package.write("domain/run/facts/branch.py", FACT)
    package.insert(
        "domain/run/facts/__init__.py",
        '"""Facts about a run, by subject."""\n',
        "\nfrom shiftwork.domain.run.facts.branch import BranchMoved",
    )
    package.insert("domain/run/evolve.py", "\n        on(run_facts.RunStarted, _started),", EFFECT)
    assert package.python(str(EXAMPLES / "fact_and_message.py")) == "stored\nsent 1\n"
