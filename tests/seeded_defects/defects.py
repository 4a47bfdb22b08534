"""The defects that the gate must find, in the order in which they were invented, and the tests of each subject.

They were chosen by reading the product and asking what a user would lose, before anybody looked for a test of them. A
defect that no test finds stays here: then a test is missing.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from shiftwork.records import dataclass

FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """A patch of the product, in the folder of its subject."""

    subject: str
    name: str

    @property
    def patch(self) -> Path:
        return FOLDER / self.subject / f"{self.name}.patch"


DEFECTS: Final = tuple(
    Defect(subject=subject, name=name)
    for subject, names in (
        (
            "landing",
            (
                "branch_moves_without_comparison",
                "replaced_object_lands",
                "refused_work_lands_with_the_next",
                "uncommitted_edits_are_overwritten",
                "work_lands_without_approval",
            ),
        ),
        (
            "proof",
            (
                "batch_restores_only_the_last_tests",
                "citation_of_one_written_line",
                "blind_gate_proves_a_criterion",
                "verdict_known_by_gate_name",
                "restored_test_keeps_its_new_mode",
            ),
        ),
        (
            "store",
            (
                "append_without_epoch",
                "request_lost_by_archiving",
                "commit_is_not_flushed",
                "key_returns_an_early_version",
                "posts_do_not_wait_for_each_other",
            ),
        ),
        (
            "sandbox",
            (
                "personal_folder_counts_as_installation",
                "proxy_connects_to_any_address",
                "x32_calls_are_not_filtered",
                "link_out_of_a_writable_folder",
                "refresh_token_is_lent",
            ),
        ),
        (
            "consent",
            (
                "command_is_not_in_the_digest",
                "gate_consent_by_folder_name",
                "copied_state_is_the_users_own",
                "removed_guards_need_no_consent",
                "setup_consent_without_dependencies",
            ),
        ),
        (
            "attempts",
            (
                "unsaved_work_counts_as_saved",
                "interruption_costs_a_retry",
                "review_without_findings",
                "overload_counts_as_failure",
                "killed_git_forgets_the_cost",
            ),
        ),
    )
    for name in names
)

NEAREST: Final[Mapping[str, tuple[str, ...]]] = {
    "landing": (
        "tests/unit/domain/landing",
        "tests/conformance/workspace/landing",
        "tests/app/landing",
        "tests/properties/test_landing_queue.py",
        "tests/golden",
        "tests/properties",
        "tests/attacks",
        "tests/durability",
        "tests/e2e",
    ),
    "proof": (
        "tests/unit/domain/proof",
        "tests/unit/domain/gates",
        "tests/conformance/workspace/gates",
        "tests/app/landing",
        "tests/golden",
        "tests/properties",
        "tests/app/commands",
        "tests/attacks",
        "tests/e2e",
    ),
    "store": (
        "tests/conformance/store",
        "tests/app/run",
        "tests/app/commands",
        "tests/properties",
        "tests/conformance/engine",
        "tests/attacks",
        "tests/durability",
    ),
    "sandbox": (
        "tests/unit/sandbox",
        "tests/unit/agents",
        "tests/conformance/sandbox",
        "tests/conformance/agents",
        "tests/unit/bootstrap",
        "tests/attacks",
    ),
    "consent": (
        "tests/unit/config",
        "tests/unit/cli",
        "tests/api",
        "tests/e2e",
    ),
    "attempts": (
        "tests/unit/domain/story",
        "tests/app/attempt",
        "tests/conformance/workspace/git",
        "tests/properties",
        "tests/app",
        "tests/golden",
        "tests/durability",
        "tests/e2e",
    ),
}
"""Tests that the gate runs for every change of the subject, in the order in which they are tried."""
