"""Serves in this terminal, shows the server, and stops it."""

from collections.abc import Sequence
from functools import partial

import click

from shiftwork.app.hosting.schedule import Hosted, Phase
from shiftwork.app.views.documents.commands import server_documents as documents
from shiftwork.app.views.documents.run_documents import run_state
from shiftwork.app.views.queries import run_view
from shiftwork.app.views.run_views import RunView
from shiftwork.bootstrap.server.living import ServedRun, ServerRecord, living_server, will_resume
from shiftwork.bootstrap.server.open_server import server_log
from shiftwork.bootstrap.server.serving import end_in_order, handed_runs, workers_left
from shiftwork.bootstrap.state.read_only import liveness, now, open_queries
from shiftwork.config.site import Site
from shiftwork.entrypoints.cli.env.broken_pipe import though_undelivered
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import next_steps, phrases
from shiftwork.entrypoints.cli.render.json import say, this_moment
from shiftwork.entrypoints.cli.render.sanitize import one_line, plain
from shiftwork.entrypoints.host.server_process import Serving
from shiftwork.entrypoints.host.server_process import serve as serve_here
from shiftwork.errors import EXIT_DONE

_SAID = {
    Phase.QUEUED: "waits for its turn",
    Phase.WORKING: "is worked on",
    Phase.RESTING: "needs you",
    Phase.ELSEWHERE: "is worked on by a process on another host",
    Phase.FAILED: "does not continue",
    Phase.OVER: "is over",
    Phase.LEFT: "continues in a terminal",
}


def serve(site: Site, port: int | None, *, as_json: bool) -> int:
    def line(text: str) -> None:
        with though_undelivered():
            if as_json:
                say(documents.ServerEvent(time=this_moment(), text=text))
            else:
                _print(text)

    def observe(hosted: Hosted) -> None:
        with though_undelivered():
            if as_json:
                say(_hosted(hosted))
            else:
                reason = f": {hosted.reason}" if hosted.reason else ""
                said = "is paused" if hosted.paused else _SAID[hosted.phase]
                _print(f"run {hosted.run} {said}{reason}")

    return serve_here(site, Serving(port=port, say=line, observe=observe))


def _print(text: str) -> None:
    """With the time: what a server prints in its log is read days later."""
    click.echo(plain(f"{phrases.dated(now())} {text}"))


def _hosted(hosted: Hosted) -> documents.HostedEvent:
    return documents.HostedEvent(time=this_moment(), run=hosted.run, phase=hosted.phase, reason=hosted.reason)


def stop(site: Site, *, as_json: bool) -> int:
    """Also ends workers whose server was killed: they work on, and only a server watches them."""
    found = living_server(site)
    if found:
        end_in_order(found.owner)
    left = answer(lambda: workers_left(site))
    for worker in left:
        end_in_order(worker)
    runs = [handed.run for handed in answer(lambda: handed_runs(site))]
    if as_json:
        pid = found.owner.pid if found else None
        say(documents.ServerStop(stopped=bool(found or left), pid=pid, unfinished=runs))
        return EXIT_DONE
    done = "stopped" if found or left else "no server works here"
    click.echo(f"{done}; unfinished: {', '.join(runs)}" if runs else done)
    if runs:
        click.echo("\n".join(phrases.following((("shiftwork serve", "continues them"),))))
    return EXIT_DONE


def status(site: Site, *, as_json: bool) -> int:
    found, queries = living_server(site), open_queries(site)
    runs = answer(lambda: handed_runs(site))
    known = partial(will_resume, site)
    views = {handed.run: answer(partial(run_view, queries, handed.run, liveness(), served=known)) for handed in runs}
    served = {each.run: each for each in found.runs} if found else {}
    if as_json:
        server = documents.server_process(found.owner, found.address) if found else None
        handed = [_handed(view, served.get(run)) for run, view in views.items()]
        say(documents.ServerStatus(server=server, runs=handed))
        return EXIT_DONE
    if found is None:
        click.echo("no server works here" + ("; unfinished runs that were handed over:" if views else ""))
    else:
        where = f", {found.address}" if found.address else ""
        click.echo(plain(f"process {found.owner.pid} serves {site.name}{where}"))
        click.echo(plain(f"  its log: {server_log(site)}"))
    for run, view in views.items():
        click.echo(one_line(f"  {run}  {next_steps.of_run(view)}: {view.run.title}", phrases.width()))
        if reason := _reason(served.get(run)):
            click.echo("\n".join(phrases.labelled("    ", phrases.gist(reason, phrases.width() - 4))))
    if steps := _after(found, tuple(views)):
        click.echo("\n".join(phrases.following(steps)))
    return EXIT_DONE


def _after(found: ServerRecord | None, runs: Sequence[str]) -> Sequence[phrases.Step]:
    if found is None:
        return (("shiftwork serve", ""),) if runs else ()
    watched = ((f"shiftwork status {runs[0]}", ""),) if runs else ()
    return (*watched, ("shiftwork board", ""))


def _handed(view: RunView, served: ServedRun | None) -> documents.HandedRun:
    phase = served.phase if served else Phase.QUEUED
    state = run_state(view.run, view.activity)
    return documents.HandedRun(run=view.run.run, state=state, phase=phase, reason=_reason(served))


def _reason(served: ServedRun | None) -> str:
    return served.reason if served else ""
