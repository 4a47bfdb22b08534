"""Writes the pages of the documentation that are drawn from the code; with `--check`, tells which are out of date."""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from shiftwork.domain.core.machine import Table
from shiftwork.domain.landing.state import EntryStage
from shiftwork.domain.landing.transitions import ENTRY
from shiftwork.domain.run.state import RUN_ENDED
from shiftwork.domain.run.transitions import RUN
from shiftwork.domain.story.state import ENDED
from shiftwork.domain.story.transitions import STORY
from shiftwork.domain.tampering.ecosystems import ECOSYSTEMS, Ecosystem
from shiftwork.domain.workflow.pipeline import FINISHED
from shiftwork.domain.workflow.transitions import STEP

ROOT: Final = Path(__file__).resolve().parent.parent

STATES_HEAD: Final = """# States

`scripts/docs.py` writes this page from the tables in `src/shiftwork/domain/*/transitions.py`: change the tables there.
Nothing else in the product changes a status. A change that a table does not have is illegal, and a fact that would need
it changes nothing.
"""

STEP_TEXT: Final = """\
A step is one node of a story's pipeline. `interrupt` is the death of a worker in the middle of an attempt, or a last
step that has put work in front of itself; `retry` follows a failure, `restart` is the step's own wish, and `ask` its
question to a person. `rewind` puts a completed last step behind work that was added before it, and completed steps back
where a decision leads; `revive` does so for steps that were skipped."""
STORY_TEXT: Final = """\
A story completes when it has landed, never before. Its run keeps the same status for it, and knows what a story itself
does not: it is blocked exactly while something that it depends on, directly or not, has failed (or can never land).
`adopt` is a story of which the spec's file says that it had landed before."""
RUN_TEXT: Final = """\
A run is completed when every one of its stories is; it fails when every story is completed, failed or blocked and not
all are completed. It goes on when a story that failed is tried again."""
ENTRY_TEXT: Final = """\
An entry is a story's request to land. It is `built` as one commit on the tip of the base, `verified` by a green report
on that very commit, and `landed` by compare-and-swap, as a commit with the same tree whose message says what was found;
`miss` is a base that moved meanwhile. The story is told before the entry is closed."""


def states() -> str:
    """The page of all state diagrams."""
    parts = [
        STATES_HEAD,
        _section("Step", STEP_TEXT, STEP, FINISHED),
        _section("Story", STORY_TEXT, STORY, ENDED),
        _section("Run", RUN_TEXT, RUN, RUN_ENDED),
        _section("Landing entry", ENTRY_TEXT, ENTRY, {EntryStage.CLOSED}),
    ]
    return "\n".join(parts)


def _section(title: str, text: str, table: Table[Any], ends: Iterable[StrEnum]) -> str:
    triggers: dict[tuple[StrEnum, StrEnum], list[str]] = defaultdict(list)
    for (before, trigger), after in table.items():
        triggers[before, after].append(trigger)
    first = next(iter(table))[0]
    edges = [f"    {before} --> {after}: {', '.join(words)}" for (before, after), words in triggers.items()]
    diagram = [f"    [*] --> {first}", *edges, *(f"    {end} --> [*]" for end in sorted(ends))]
    rows = [f"| {before} | {', '.join(words)} | {after} |" for (before, after), words in triggers.items()]
    lines = [
        f"## {title}",
        "",
        text,
        "",
        "```mermaid",
        "stateDiagram-v2",
        *diagram,
        "```",
        "",
        "| from | on | to |",
        "|---|---|---|",
        *rows,
        "",
    ]
    return "\n".join(lines)


WATCHED_HEAD: Final = """# Files that gates are judged by, by ecosystem

Drawn from `src/shiftwork/domain/tampering/ecosystems.py` by `scripts/docs.py`: change the table there, not this page. A
pattern without a slash is about names in any folder. What a story does to one of these files is reported in its status,
in `shiftwork report` and in the trailer `Shiftwork-Tests` of the landed commit. See [tampering](tampering.md) for what
is done about it.

- *Tests* and *settings of runners* are put back for a second run of the gates: what was changed or deleted is as the
  base has it, what is new is left out.
- *Perhaps tests* have names that product code has too. They are reported and not put back, unless `protect` names them.
- Files that *configure runners beside other things* are reported. Of `package.json`, `composer.json`, `deno.json`,
  `pyproject.toml`, `setup.cfg` and `Cargo.toml` the keys that configure test runners and linters are put back
  (`src/shiftwork/domain/tampering/runner_keys.py` lists them), and the rest is as the story has it.
- *Dependency and lock files* are reported.
- Where *installed packages* are committed, an edit of them is put back, and a new file in the place of an installed one
  is left out of the second run. In `vendor` a new file stays.
"""


def watched() -> str:
    """The page of the names that each ecosystem goes by."""
    return "\n".join((WATCHED_HEAD, *(_ecosystem(one) for one in ECOSYSTEMS)))


def _ecosystem(one: Ecosystem) -> str:
    kinds = {
        "tests and recorded outputs": one.tests,
        "perhaps tests": one.perhaps,
        "settings of runners": one.settings,
        "configure runners beside other things": one.mixed,
        "dependency and lock files": one.dependencies,
        "installed packages": one.installed,
    }
    rows = [f"| {kind} | {' '.join(f'`{name}`' for name in names)} |" for kind, names in kinds.items() if names]
    title = one.name[0].upper() + one.name[1:]
    return "\n".join((f"## {title}", "", "| kind | names |", "|---|---|", *rows, ""))


PAGES: Final[dict[str, Callable[[], str]]] = {
    "docs/reference/states.md": states,
    "docs/reference/watched-files.md": watched,
}


def main(arguments: list[str]) -> int:
    """Write every page, or with `--check` none; the exit code says whether any was out of date."""
    stale = [name for name, page in PAGES.items() if not _is(ROOT / name, page())]
    for name in stale:
        print(f"{name} is out of date" if "--check" in arguments else f"writing {name}")
    if "--check" in arguments:
        return 1 if stale else 0
    for name in stale:
        (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / name).write_text(PAGES[name](), encoding="utf-8")
    return 0


def _is(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
