"""A module name that occurs more than once has one meaning: the same subject in another layer, aggregate or folder."""

from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src/shiftwork"

ONE_PER_AGGREGATE = {
    "assignment",
    "decide",
    "effects",
    "evolve",
    "facts",
    "lifecycle",
    "notices",
    "state",
    "transitions",
}
"""What each of the story, the run, the landing queue and their notices has."""

PORT_AND_ADAPTERS = {
    *("agent", "agents", "canary", "changes", "clock", "engine", "event_store", "gates", "inbox", "leases", "notebook"),
    *("notify", "prices", "queries", "sandbox", "specs", "workspace"),
}
"""A port, what implements it, what uses it or builds it, and its conformance suite."""

COMMAND_AND_SUBJECT = {
    *(
        "adopt",
        "demo",
        "diff",
        "export",
        "gc",
        "notes",
        "proof",
        "resume",
        "retry",
        "run",
        "steps",
        "stories",
    ),
    *("trust", "undo", "workflow"),
}
"""A command of the command line, and the subject that it is about."""

RULE_AND_PERFORMER = {
    *("allowance", "amounts", "base_survey", "budget", "certificate", "checkout_trial", "conflict_forecast", "edits"),
    *("fail_to_pass", "forecast", "frame", "hosts", "included_files", "intents", "kept_options", "landing", "limits"),
    *("memory", "notifications", "rate_limit", "replies", "repository", "secrets", "setup", "spec_writeback"),
    *("steering", "step_edits", "story_lookup", "verification", "withdrawal"),
}
"""A rule of the domain, its facts, and what performs, simulates or shows it in a layer above."""

BY_CONVENTION = {"__init__", "__main__", "open"}
"""Python's own names; `open` opens what a folder of adapters holds."""

EXPECTED = ONE_PER_AGGREGATE | PORT_AND_ADAPTERS | COMMAND_AND_SUBJECT | RULE_AND_PERFORMER | BY_CONVENTION


def test_a_module_name_has_one_meaning() -> None:
    names = Counter(path.stem for path in SOURCE.rglob("*.py"))
    repeated = {name for name, count in names.items() if count > 1}
    assert repeated - EXPECTED == set(), "give one of them another name, or say above what they have in common"
    assert EXPECTED - repeated == set(), "these no longer occur twice"
