"""Writes the documentation pages that are generated from the code; with `--check`, lists those that are out of date."""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from shiftwork.config.settings.setting_catalogue import Setting, catalogue, plain_default
from shiftwork.config.settings.toml_text import name_of
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

<!-- scripts/docs.py writes this page from src/shiftwork/domain/*/transitions.py: change the tables there. -->

Nothing else in the product changes a status. A change that a table does not have is illegal, and a fact that would need
it changes nothing.
"""

STEP_TEXT: Final = """\
A step is one node of a story's pipeline. `interrupt` means that a worker died during an attempt, or that the last
step added work before itself; `retry` follows a failure, `restart` is the step's own request, and `ask` is its
question to a person. `rewind` moves a completed last step after work that was added, and completed steps back to the
target of a decision; `revive` does the same for skipped steps."""
STORY_TEXT: Final = """\
A story completes when it has landed, never before. Its run has the same status for it, and knows what a story itself
does not: it is blocked exactly while something that it depends on, directly or not, has failed (or can never land).
`adopt` is a story that the spec file already marks as landed."""
RUN_TEXT: Final = """\
A run is completed when every one of its stories is; it fails when every story is completed, failed or blocked and not
all are completed. It continues when a failed story is retried."""
ENTRY_TEXT: Final = """\
An entry is a story's request to land. It is `built` as one commit on the tip of the base, `verified` by passing gates
on that exact commit, and `landed` by compare-and-swap, as a commit with the same tree and the results in its message;
`miss` means that the base moved meanwhile. The story is notified before the entry is closed."""


def states() -> str:
    """The page with all state diagrams."""
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

<!-- scripts/docs.py writes this page from src/shiftwork/domain/tampering/ecosystems.py: change the table there. -->

A pattern without a slash matches names in any folder. A story's changes to these files are reported in its status,
in `shiftwork status` and in `shiftwork report`. [Tampering](tampering.md) describes
how Shiftwork protects against such changes.

- *Tests* and *settings of runners* are restored for a second run of the gates: changed and deleted files are as in the
  base, the commit that the story's changes are applied to. New files are left out of that run.
- *Perhaps tests* have names that product code has too. They are reported and not restored, unless `protect` names them.
- Files that *configure runners beside other things* are reported. In `package.json`, `composer.json`, `deno.json`,
  `pyproject.toml`, `setup.cfg` and `Cargo.toml` the keys that configure test runners and linters are restored
  (`src/shiftwork/domain/tampering/runner_keys.py` lists them), and the rest stays as in the story.
- *Dependency and lock files* are reported.
- If *installed packages* are committed, the second run restores edited files, and leaves out a new file that replaces
  an installed file. In `vendor` a new file stays.
"""


def watched() -> str:
    """The page with the file names of each ecosystem."""
    return "\n".join((WATCHED_HEAD, *(_ecosystem(ecosystem) for ecosystem in ECOSYSTEMS)))


def _ecosystem(ecosystem: Ecosystem) -> str:
    kinds = {
        "tests and recorded outputs": ecosystem.tests,
        "perhaps tests": ecosystem.perhaps,
        "settings of runners": ecosystem.settings,
        "configure runners beside other things": ecosystem.mixed,
        "dependency and lock files": ecosystem.dependencies,
        "installed packages": ecosystem.installed,
    }
    rows = [f"| {kind} | {' '.join(f'`{name}`' for name in names)} |" for kind, names in kinds.items() if names]
    title = ecosystem.name[0].upper() + ecosystem.name[1:]
    return "\n".join((f"## {title}", "", "| kind | names |", "|---|---|", *rows, ""))


SETTINGS_HEAD: Final = """# Settings

<!-- scripts/docs.py writes this page from src/shiftwork/config/settings: change the settings there. -->

A value comes from the environment variable, else from `shiftwork.toml`, else it is the default. Gates and the setup
command that no file names are those found in the project. `shiftwork config list` shows what is in force and where it
comes from, `shiftwork config explain NAME` says the same as this page about one setting, `shiftwork config set NAME
VALUE` and `unset NAME` change the file and keep its comments, and `shiftwork config validate` lists every mistake with
its line.

No change of the file is consent: no run starts before you agree to the changed file (`shiftwork trust`), unless the
setting is marked *No consent needed*, or the file only has lower or stricter values than the one that you agreed to
last, where the setting is marked so. `NAME` is yours to choose; the settings of a profile are those of the agent.
"""


def settings() -> str:
    """The page with every setting."""
    tables: dict[str, list[Setting]] = defaultdict(list)
    for setting in catalogue():
        if setting.place[0] != "profiles":
            tables[name_of(setting.place[:-1]) if setting.place[0] != "gates" else "gates"].append(setting)
    return "\n".join((SETTINGS_HEAD, *(_settings_table(table, listed) for table, listed in tables.items())))


def _settings_table(table: str, listed: list[Setting]) -> str:
    rows = [f"| `{item.name}` | {_values(item)} | `{plain_default(item)}` | {_about(item)} |" for item in listed]
    return "\n".join((f"## {table}", "", "| name | value | default | |", "|---|---|---|---|", *rows, ""))


def _values(item: Setting) -> str:
    return f"{item.type}: {item.allowed}" if item.allowed else item.type


def _about(item: Setting) -> str:
    variable = f" Variable: `{item.variable}`." if item.variable else ""
    tighter = f" *A {item.tighter_values} value needs no consent.*" if item.tighter_values else ""
    return f"{item.meaning}{variable}{tighter if item.needs_consent else ' *No consent needed.*'}"


DOCUMENTS: Final[dict[str, Callable[[], str]]] = {
    "docs/reference/states.md": states,
    "docs/reference/watched-files.md": watched,
    "docs/reference/settings.md": settings,
}


def main(arguments: list[str]) -> int:
    """Write every page, or none with `--check`; the exit code says whether any page was out of date."""
    stale = [name for name, document in DOCUMENTS.items() if not _is(ROOT / name, document())]
    for name in stale:
        print(f"{name} is out of date" if "--check" in arguments else f"writing {name}")
    if "--check" in arguments:
        return 1 if stale else 0
    for name in stale:
        (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / name).write_text(DOCUMENTS[name](), encoding="utf-8")
    return 0


def _is(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
