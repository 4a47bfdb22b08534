"""Turns `import` into a description of the given files, and into the files that a run needs."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Any, Final

import click

from shiftwork.app.commands.explain_gate import gates_for
from shiftwork.app.views.documents.commands.plan_documents import (
    FieldNote,
    Import,
    ImportedSpec,
    ImportedWorkflow,
    SourcedGate,
    plan_values,
)
from shiftwork.bootstrap.spec_files import read_spec
from shiftwork.bootstrap.workflows import OWN_FOLDER, Choice, choose, with_personas
from shiftwork.bounded import read_text
from shiftwork.config.agents.installed_agent import agent_instead
from shiftwork.config.detection.project_gates import detect
from shiftwork.config.settings.settings import Settings, writes_parallel
from shiftwork.config.site import SETTINGS_FILE, Site, environment
from shiftwork.config.templates.settings_file import settings_file
from shiftwork.config.user import user_folder
from shiftwork.domain.spec.spec import states_dependencies
from shiftwork.entrypoints.cli.env.conditions import conditions
from shiftwork.entrypoints.cli.render import phrases, plan_table, unused_fields
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.output_file import check_unlinked, written
from shiftwork.entrypoints.cli.render.sanitize import one_line, plain
from shiftwork.entrypoints.cli.work.made_plan import ahead
from shiftwork.entrypoints.cli.work.spec_source import protection_of
from shiftwork.errors import UsageError
from shiftwork.planning.preview import Preview, preview
from shiftwork.ports.specs import Sheet
from shiftwork.records import dataclass

_KINDS: Final = {
    "prd-json": "a prd.json",
    "workflow-state": "the state of Dynamic Ralph or of an exported run",
    "beads": "an export of beads",
    "spec-kit": "a spec-kit task list",
    "openspec": "an OpenSpec change",
    "task-list": "a Markdown task list",
    "markdown": "a Markdown plan",
}
_FOLDERS: Final = {"openspec": "openspec/changes", "spec-kit": "specs", "beads": ".beads"}
"""Where formats that consist of a folder keep it."""
_WORKFLOWS: Final = (".yml", ".yaml")
_LARGEST: Final = 4 * 1024 * 1024
_MOST_FILES: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spec:
    """A spec, and where a run will find it; `copies` are the texts to write first, by their path."""

    sheet: Sheet
    target: str
    shown: Preview
    copies: dict[Path, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Workflow:
    """A workflow, and its name for `run --workflow`."""

    choice: Choice
    target: str
    copies: dict[Path, str]


def import_files(site: Site, files: Sequence[str], *, dry_run: bool, as_json: bool) -> None:
    """Checks all files before it writes the first."""
    paths = [_existing(file) for file in files]
    settings = conditions(site, environment()).settings
    workflows = [_workflow(site, path) for path in paths if _is_workflow(path)]
    specs = [_spec(site, path, settings) for path in paths if not _is_workflow(path)]
    copies = [found.copies for found in specs] + [found.copies for found in workflows]
    new = [file for files_of_one in copies for file in files_of_one.items()]
    if not (site.root / SETTINGS_FILE).exists():
        workflow = workflows[0].target if len(workflows) == 1 else ""
        found, agent = detect(site.root, environment()), agent_instead(environment())
        new.append((site.root / SETTINGS_FILE, settings_file(found, workflow=workflow, agent=agent)))
    gates = tuple(_gates(site, settings, specs))
    for path, _ in new:
        _check_free(site.root, path)
    names = [path.relative_to(site.root).as_posix() for path, _ in new]
    following = list(_next(specs, workflows, named=SETTINGS_FILE in names))
    lines, document = list(_lines(specs, workflows, gates)), _document(specs, workflows, gates)
    for path, text in new if not dry_run else ():
        path.parent.mkdir(parents=True, exist_ok=True)
        written(path, text)
    if as_json:
        say(Import(**document, written_files=[] if dry_run else names, next=following))
        return
    click.echo("\n".join(lines))
    for number, name in enumerate(names):
        verb = "would write" if dry_run else "wrote"
        click.echo(f"{'' if number else chr(10)}{verb} {plain(name)}")
    click.echo("\n".join(phrases.following([(command, "") for command in following])))


def _existing(file: str) -> Path:
    path = Path(file)
    if not path.exists():
        raise UsageError(f"there is no file {file}", hint="shiftwork import FILE reads an existing file or folder")
    return path


def _is_workflow(path: Path) -> bool:
    return path.suffix in _WORKFLOWS or any((path / f"workflow{ending}").is_file() for ending in _WORKFLOWS)


# Specs ---------------------------------------------------------------------------------------------------------------


def _spec(site: Site, path: Path, settings: Settings) -> _Spec:
    sheet = read_spec(site, path)
    ordered = not writes_parallel(settings) and not states_dependencies(sheet.spec.stories)
    shown = preview(ahead(sheet.spec, sheet.done), (), protection_of(settings), ordered=ordered)
    target, copies = _place(site.root, sheet)
    return _Spec(sheet=sheet, target=target, shown=shown, copies=copies)


def _place(root: Path, sheet: Sheet) -> tuple[str, dict[Path, str]]:
    """A file of the repository stays; another is copied, with its folder if the format is a folder."""
    kind, _, name = sheet.source.partition(":")
    file = Path(name)
    if not file.is_absolute():
        return name, {}
    parent = _FOLDERS.get(kind, "")
    if kind in {"openspec", "spec-kit"}:
        folder = Path(parent) / file.parent.name
        copies = {root / folder / each.relative_to(file.parent): _text(each) for each in _inside(file.parent)}
        return folder.as_posix(), copies
    target = Path(parent) / file.name
    beside = {root / name: _text(file.parent / name) for name in sheet.beside}
    return target.as_posix(), {root / target: _text(file), **beside}


def _inside(folder: Path) -> list[Path]:
    """The Markdown files of a change or a feature: what its spec consists of."""
    found = sorted(path for path in folder.rglob("*.md") if path.is_file() and not path.is_symlink())
    if len(found) > _MOST_FILES:
        message = f"{folder} has {len(found)} files, more than the {_MOST_FILES} that are copied"
        raise UsageError(message, hint="copy the folder into the repository yourself")
    return found


def _text(path: Path) -> str:
    try:
        return read_text(path, _LARGEST)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}", hint="fix the file, then import it again") from error


# Workflows -----------------------------------------------------------------------------------------------------------


def _workflow(site: Site, path: Path) -> _Workflow:
    choice = choose(str(path.resolve()), site.root, user_folder(environment()))
    source = (choice.path or path).resolve()
    if source.is_relative_to(site.root.resolve()):
        return _Workflow(choice=choice, target=source.relative_to(site.root.resolve()).as_posix(), copies={})
    folder = site.root / OWN_FOLDER / choice.workflow.id
    copies = {folder / name: text for name, text in with_personas(choice.workflow).items()}
    return _Workflow(choice=choice, target=choice.workflow.id, copies=copies)


# Output --------------------------------------------------------------------------------------------------------------


def _check_free(root: Path, path: Path) -> None:
    check_unlinked(root, path)
    if path.exists():
        name = path.relative_to(root)
        hint = f"move {name} away, or name the file of this repository: shiftwork import {name}"
        raise UsageError(f"{name} exists already, and import changes no file", hint=hint)


def _gates(site: Site, settings: Settings, specs: Sequence[_Spec]) -> Iterator[SourcedGate]:
    """All gates of a run, each with the file that it comes from."""
    sources = {gate.name: gate.source for gate in detect(site.root, environment()).gates}
    has_file = "gates" in settings.model_fields_set and (site.root / SETTINGS_FILE).exists()
    for gate in settings.gate_list:
        source = SETTINGS_FILE if has_file else sources.get(gate.name, SETTINGS_FILE)
        yield SourcedGate(name=gate.name, command=gate.command, source=source)
    for spec in specs:
        for gate in gates_for(settings.gate_list, spec.sheet.spec)[len(settings.gate_list) :]:
            yield SourcedGate(name=gate.name, command=gate.command, source=unused_fields.file_of(spec.sheet))
        yield from _checks_of_stories(spec)


def _checks_of_stories(spec: _Spec) -> Iterator[SourcedGate]:
    """The commands that a story must pass besides the gates."""
    for story in spec.shown.spec.stories:
        for step in story.verification:
            command = step.command or step.path or step.url
            yield SourcedGate(
                name=f"{story.id} {step.name or step.id}", command=command, source=unused_fields.file_of(spec.sheet)
            )


def _next(specs: Sequence[_Spec], workflows: Sequence[_Workflow], *, named: bool) -> Iterator[str]:
    chosen = workflows[0].target if len(workflows) == 1 else ""
    option = f" --workflow {quote(chosen)}" if chosen and not named else ""
    for spec in specs:
        yield f"shiftwork run {quote(spec.target)}{option}"
    if not specs and chosen:
        yield f'shiftwork run "what you want done"{option}'
    elif not specs:
        yield from (f"shiftwork workflow show {quote(workflow.target)}" for workflow in workflows)


def _lines(specs: Sequence[_Spec], workflows: Sequence[_Workflow], gates: Sequence[SourcedGate]) -> Iterator[str]:
    for spec in specs:
        kind, _, file = spec.sheet.source.partition(":")
        place = f"copied to {spec.target}" if spec.copies else "used where it is"
        yield plain(f"{file} is {_KINDS[kind]}, {place}")
        yield ""
        yield from plan_table.lines(spec.shown, len(spec.sheet.done))
        if spec.sheet.spec.branch:
            yield f"lands on       {plain(spec.sheet.spec.branch)}"
        yield ""
        if carried := _carried(spec.sheet):
            yield from (*carried, "")
        if left := list(unused_fields.lines(spec.sheet)):
            yield from (*left, "")
    for workflow in workflows:
        yield from (*_about(workflow), "")
    yield "gates of a run"
    yield from _gate_lines(gates)


def _carried(sheet: Sheet) -> list[str]:
    """What a run takes over from another tool, and what it does not know about it."""
    if not sheet.source.startswith("workflow-state:"):
        return []
    kept = [f"notes carried  {_note_count(sheet)} of steps and stories, {len(sheet.patterns)} for all stories"]
    begun = [story.id for story in sheet.spec.stories if story.notes]
    if begun:
        kept.append(f"begin again    {', '.join(begun)}, from the first step, with these notes")
    if sheet.done:
        done = ", ".join(sorted(sheet.done))
        kept.append(f"done           {done}, as the file says: shiftwork has proved none of it")
    return [plain(line) for line in kept]


def _note_count(sheet: Sheet) -> int:
    return sum(len(story.notes) for story in sheet.spec.stories)


def _about(workflow: _Workflow) -> Iterator[str]:
    plan = workflow.choice.workflow
    place = f"copied to {OWN_FOLDER}/{plan.id}" if workflow.copies else "used where it is"
    yield plain(f"{workflow.choice.path} is the workflow {plan.id}, {place}")
    yield f"  steps  {one_line(' → '.join(step.name for step in plan.steps), phrases.width() - 9)}"
    if plan.story_steps and plan.frame:
        inner = " → ".join(step.name for step in plan.story_steps)
        yield f"  each story  {one_line(inner, phrases.width() - 14)}"
    for note in workflow.choice.notes:
        yield f"  note: line {note.line}: {plain(note.text)}"


def _gate_lines(gates: Sequence[SourcedGate]) -> Iterator[str]:
    if not gates:
        yield "  none: until [gates] in shiftwork.toml names one, the only check is that something changed"
        return
    rows = [(plain(gate.name), f"{plain(gate.command)}    (from {plain(gate.source)})") for gate in gates]
    yield phrases.facts(rows)


def _document(specs: Sequence[_Spec], workflows: Sequence[_Workflow], gates: Sequence[SourcedGate]) -> dict[str, Any]:
    return {
        "specs": [
            ImportedSpec(
                **plan_values(spec.shown, unused_fields.documents(spec.sheet)),
                file=unused_fields.file_of(spec.sheet),
                format=spec.sheet.source.partition(":")[0],
                target=spec.target,
                branch=spec.sheet.spec.branch,
                done=sorted(spec.sheet.done),
                carried_notes=_note_count(spec.sheet) + len(spec.sheet.patterns),
            )
            for spec in specs
        ],
        "workflows": [
            ImportedWorkflow(
                workflow=workflow.choice.workflow.id,
                file=str(workflow.choice.path),
                target=workflow.target,
                step_names=[step.name for step in workflow.choice.workflow.steps],
                field_notes=[FieldNote(**asdict(note)) for note in workflow.choice.notes],
            )
            for workflow in workflows
        ],
        "gates": gates,
    }
