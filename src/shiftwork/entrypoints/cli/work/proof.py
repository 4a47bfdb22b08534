"""Turns `proof` into certificates on the screen, in files, or checked against the repository."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import click

from shiftwork.app.commands.certificates import Bench, Paper, document, from_document, recorded, remembered, verify
from shiftwork.app.views import amounts, proofs
from shiftwork.app.views.documents.commands import result_documents as documents
from shiftwork.app.views.missing_stories import missing_lines
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.run_views import RunView
from shiftwork.app.views.story_lookup import check_story
from shiftwork.bootstrap.state.branch_look import seen_on_branch
from shiftwork.bootstrap.state.open_gates import open_examination
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.bounded import read_bytes
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site, environment
from shiftwork.config.trust.consent_claims import Claim, Command
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.proof.certificate import Certificate, Held
from shiftwork.domain.story.state import StoryStatus
from shiftwork.entrypoints.cli.env.conditions import trusted_conditions
from shiftwork.entrypoints.cli.env.setup_trust import ensure_setup
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.env.trust import ensure
from shiftwork.entrypoints.cli.render import phrases
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.output_file import written
from shiftwork.entrypoints.cli.render.sanitize import cells, one_line, plain
from shiftwork.errors import EXIT_DONE, EXIT_FAILED, UsageError
from shiftwork.ports.store import History
from shiftwork.records import dataclass, replace

_WIDEST: Final = 160
_CELL: Final = 24
_LINES: Final = 4
_HEAD: Final = ("story", "landed", "on", "proof", "gates", "title")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The given arguments; empty if not given."""

    what: str
    run: str
    out: Path | None = None


def show(site: Site, wanted: Wanted, *, as_json: bool) -> int:
    view = None if is_file(wanted.what) else _view(site, wanted)
    papers = _papers(site, wanted, view)
    missing = _lost(site, view, papers) if view else None
    if wanted.out and len(papers) != 1:
        raise UsageError("one certificate is written to one file", hint="shiftwork proof STORY --out FILE")
    if wanted.out:
        written(wanted.out, json.dumps(document(papers[0]), indent=2) + "\n", private=True)
    if as_json:
        found = {str(paper.certificate.story): proofs.document(paper.certificate) for paper in papers}
        file = str(wanted.out) if wanted.out else None
        certificates = [document(paper) for paper in papers]
        gone = documents.missing_stories(missing) if missing else ()
        say(documents.Proof(file=file, certificates=certificates, proofs=found, missing_stories=gone))
        return EXIT_DONE
    if wanted.out:
        click.echo(f"written to {wanted.out}; check it again: shiftwork proof --verify {wanted.out}")
        return EXIT_DONE
    lines = _output(papers[0]) if wanted.what else _table(papers)
    click.echo("\n".join((*lines, *(f"! {plain(line)}" for line in (missing_lines(missing) if missing else ())))))
    return EXIT_DONE


def verify_all(site: Site, wanted: Wanted, *, as_json: bool) -> int:
    env = environment()
    papers = _papers(site, wanted, None if is_file(wanted.what) else _view(site, wanted))
    found = trusted_conditions(site, env)
    ensure_setup(site, found, env)
    settings = found.settings
    from_file = is_file(wanted.what)
    if from_file:
        ensure(_claim(Path(wanted.what), papers[0]), env)
    checked = [(paper, asyncio.run(_verified(site, settings, env, paper, trusts=from_file))) for paper in papers]
    holds = all(_holds(found) for _, found in checked)
    if as_json:
        rows = [
            documents.CheckedCertificate(
                story=paper.certificate.story,
                holds=_holds(found),
                unchecked=_unchecked(found),
                weakest=proofs.weakest([(paper.certificate, found)]),
                story_proof=proofs.document(paper.certificate),
                statements=[documents.statement(held) for held in found],
            )
            for paper, found in checked
        ]
        least = proofs.weakest((paper.certificate, found) for paper, found in checked)
        say(documents.ProofCheck(holds=holds, weakest=least, checked=rows))
    else:
        click.echo("\n".join(line for paper, found in checked for line in _outcome(paper, found)))
    return EXIT_DONE if holds else EXIT_FAILED


async def _verified(
    site: Site, settings: Settings, env: Mapping[str, str], paper: Paper, *, trusts: bool
) -> tuple[Held, ...]:
    said = paper.certificate
    inspector, protecting, gates = await open_examination(site, settings, env)
    memory = await remembered(open_queries(site).history, said.run, said.story)
    bench = Bench(
        inspector=inspector,
        protecting=protecting,
        gates=gates,
        configured=settings.gate_list,
        memory=memory,
        trusts=trusts,
        protection=settings.proof.protection,
    )
    return await verify(paper, bench)


def _holds(found: Sequence[Held]) -> bool:
    """Whether no check failed; unchecked items are listed separately."""
    return all(held.passed is not False for held in found)


def _unchecked(found: Sequence[Held]) -> list[str]:
    return [held.name for held in found if held.passed is None]


# Which certificates ----------------------------------------------------------------------------------------------


_LARGEST: Final = 4 * 1024 * 1024


def is_file(what: str) -> bool:
    """Whether the argument names a file, by its form: a mistyped file name must not cause an error about stories."""
    return Path(what).suffix == ".json"


def _text(file: Path) -> str:
    try:
        return read_bytes(file, _LARGEST).decode(errors="replace")
    except OSError as error:
        hint = "shiftwork proof STORY --out FILE writes a certificate"
        raise UsageError(f"{file} cannot be read: {error.strerror or error}", hint=hint) from None


def _view(site: Site, wanted: Wanted) -> RunView:
    return answer(lambda: run_view(open_queries(site), wanted.run, liveness()))


def _lost(site: Site, view: RunView, papers: Sequence[Paper]) -> RunView:
    """The run with those of these stories that its branch no longer has."""
    shown = {paper.certificate.story for paper in papers}
    seen = seen_on_branch(site, environment(), open_queries(site).history, view)
    return replace(seen, stories=[entry for entry in seen.stories if entry.story.story in shown])


def _papers(site: Site, wanted: Wanted, view: RunView | None) -> Sequence[Paper]:
    """The certificate of a file, of the story, or of all landed stories of the run that were not undone."""
    if view is None:
        if not Path(wanted.what).is_file():
            raise UsageError(f"there is no file {wanted.what}", hint="shiftwork proof STORY --out FILE writes one")
        return (from_document(_text(Path(wanted.what))),)
    queries = open_queries(site)
    run, known = view.run.run, {story.story.story: story.story.status for story in view.stories}
    if wanted.what:
        check_story(view, wanted.what)
    if known.get(wanted.what) == StoryStatus.UNDONE:
        click.echo(f"{wanted.what} was undone later: what this certificate proves has been reverted", err=True)
    landed = [story for story, status in known.items() if status != StoryStatus.UNDONE]
    found = answer(lambda: _recorded(queries.history, RunId(run), [wanted.what] if wanted.what else landed))
    if not found:
        every = "everything that landed was undone" if len(landed) < len(known) else "no story has landed yet"
        message = _not_landed(view, wanted.what) if wanted.what else f"{every} in run {run}"
        raise UsageError(message, hint=f"shiftwork status {run}")
    return found


def _not_landed(view: RunView, story: str) -> str:
    """With the reason, if the story has failed."""
    failure = next((item.story.failure for item in view.stories if item.story.story == story), "")
    head = f"{story} has landed nothing yet"
    if not failure:
        return head
    return "\n".join((f"{head}:", *(f"  {line}" for line in phrases.gist(failure, phrases.layout() - 4))))


async def _recorded(history: History, run: RunId, stories: Sequence[str]) -> list[Paper]:
    return [paper for story in stories if (paper := await recorded(history, run, StoryId(story)))]


def _claim(file: Path, paper: Paper) -> Claim:
    """A certificate may come from anyone: the commands of its verification steps and spec checks need trust like those
    of any other file.
    """
    said = paper.certificate
    checks = (Command(where=f"gate {line.name}", text=line.command) for line in said.gates if line.origin)
    steps = (line.step for line in said.verification)
    commands = (Command(where=step.id, text=step.action) for step in steps if step.command or step.url)
    return Claim(file=file.resolve(), commands=(*dict.fromkeys(checks), *commands))


# In words --------------------------------------------------------------------------------------------------------


def _table(papers: Sequence[Paper]) -> Iterator[str]:
    """A row for each; only the title is cut to fit."""
    rows = [_HEAD, *(_cells(paper.certificate) for paper in papers)]
    room = [max(cells(row[column]) for row in rows) for column in range(len(_HEAD) - 1)]
    for row in rows:
        fixed = "  ".join(phrases.padded(text, wide) for text, wide in zip(row, room, strict=False))
        yield f"{fixed}  {one_line(row[-1], max(phrases.width() - cells(fixed) - 2, 10))}"
    if reasons := proofs.forgeable([paper.certificate for paper in papers]):
        told = f"what gates ran could have forged their results ({reasons}): shiftwork proof STORY names the gates"
        yield from phrases.wrapped(told, phrases.width(), most=_LINES)


def _cells(said: Certificate) -> tuple[str, ...]:
    story, ref = one_line(said.story, _CELL), one_line(said.ref, _CELL)
    return story, said.commit[:10], ref, proofs.in_trailer(said), proofs.gates(said), said.title


def _gates(said: Certificate, room: int) -> Iterator[str]:
    """What ran on the commit, what did not, and what of it is unknown."""
    yield (
        "\ngates:"
        if said.gates or said.verification or any(_not_run(said))
        else "\nno gates: nothing was run on this commit"
    )
    for gate in said.gates:
        extra = (" at the second try" if gate.flaky else "") + (
            " (your original tests against the new code)" if gate.restored else ""
        )
        extra += " and proved nothing: it does not notice broken sources" if gate.blind else ""
        command = f": {gate.command}" if gate.command else ""
        yield f"  {one_line(f'{gate.name} passed in {gate.seconds:.1f} s{extra}{command}', room)}"
        yield from _forgeable(gate.forgeable)
    yield from (f"  {one_line(line, room)}" for line in _not_run(said))
    for line in said.verification:
        yield f"  {one_line(f'{line.step.id} {line.step.name} passed in {line.seconds:.1f} s', room)}"
        yield from _forgeable(line.forgeable)
    if said.unmeasured:
        gates = ", ".join(said.unmeasured)
        unknown = f"what {gates} loads is unknown: a change of code that only tests load may be unreported"
        yield f"  {one_line(unknown, room)}"


def _output(paper: Paper) -> Iterator[str]:
    said, room = paper.certificate, max(phrases.width(), _WIDEST)
    yield one_line(f"{said.story}: {said.title}", room)
    yield one_line(f"landed as {said.commit} on {said.ref}, on top of {said.base[:12]}, tree {said.tree}", room)
    yield from phrases.wrapped(f"landed{proofs.after_landed(said)}", room, most=_LINES)
    if missing := proofs.missing_evidence(said):
        yield missing
    yield f"\ncriteria (policy {said.policy}):"
    for judged in said.criteria:
        offered = f"{judged.kind} {judged.reference}: " if judged.reference else ""
        yield f"  {judged.verdict:<8} {one_line(f'{judged.criterion} {judged.text}', room)}"
        yield f"           {one_line(f'{offered}{judged.why}', room)}"
    yield from _gates(said, room)
    if tests := proofs.tests(said):
        yield f"\n{one_line(tests, room)}"
    yield "\nwork:"
    for step in said.steps:
        who = " ".join(part for part in (step.agent, step.model) if part)
        tries = f"{step.attempts} attempt{'s' if step.attempts > 1 else ''}{f' by {who}' if who else ''}"
        yield f"  {one_line(f'{step.step} {step.type}: {tries}', room)}"
        if amounts.is_known(step.usage):
            yield f"    cost {amounts.cost(step.usage)}; tokens {amounts.tokens(step.usage)}"
    yield f"\n{_counted(said.repairs, 'repair')}, {_counted(said.conflicts, 'conflict')}"
    yield f"cost {amounts.cost(said.usage)}"
    yield f"tokens {amounts.tokens(said.usage)}"
    yield f"sha256 {paper.sha256}"


def _forgeable(why: str) -> Iterator[str]:
    if why:
        yield f"    what it ran could have forged this result: {why}"


def _not_run(said: Certificate) -> Iterator[str]:
    yield from (f"{name} was not run: the user has let the run continue without it" for name in said.without_gates)
    yield from (f"{gate.name} was not needed: {gate.reason}" for gate in said.not_needed)
    yield from (f"{gate.name} was excused: {gate.reason}" for gate in said.excused)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


_MARKS: Final = {True: "ok  ", False: "FAIL", None: "--  "}


def _outcome(paper: Paper, found: Sequence[Held]) -> Iterator[str]:
    for held in found:
        label = f"{_MARKS[held.passed]} {one_line(paper.certificate.story, _CELL)} "
        name = held.name if held.passed is not None else f"{held.name}: not checked"
        lines = phrases.wrapped(f"{name}: {held.message}", phrases.width() - cells(label), most=_LINES)
        yield from phrases.labelled(label, lines)
    yield f"{one_line(paper.certificate.story, _CELL)}: {_in_short(paper, found)}"


def _in_short(paper: Paper, found: Sequence[Held]) -> str:
    """Never says that all is well if something was not shown."""
    unchecked, least = ", ".join(_unchecked(found)), proofs.weakest([(paper.certificate, found)])
    if not _holds(found):
        return f"the certificate does NOT hold; weakest: {least}"
    message = f"what was checked holds; not checked: {unchecked}" if unchecked else "the certificate holds"
    return f"{message}; weakest: {least}" if least and least not in message else message
