"""Turns `answer`, `approve` or `reject` into a story that continues."""

from collections.abc import Mapping, Sequence

import click

from shiftwork.app.commands.replies import (
    Reply,
    Word,
    approvals_in,
    approve_all,
    looks_like_story,
    patch_asked_about,
    reply,
    waiting_in,
)
from shiftwork.app.runtime.state_labels import APPROVALS
from shiftwork.app.views.amounts import reached_of
from shiftwork.app.views.documents.commands import request_documents as documents
from shiftwork.app.views.queries import run_view, stories_that
from shiftwork.app.views.run_views import RunView, reason
from shiftwork.bootstrap.state.open_inbox import open_inbox
from shiftwork.bootstrap.state.read_only import liveness, open_queries
from shiftwork.config.site import Site
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.story.state import Hold
from shiftwork.entrypoints.cli.control import which_run
from shiftwork.entrypoints.cli.env.broken_pipe import though_undelivered
from shiftwork.entrypoints.cli.env.repository import here
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.entrypoints.cli.render import next_steps, raise_hint
from shiftwork.entrypoints.cli.render.json import say
from shiftwork.entrypoints.cli.render.story_words import question_lines, says_of
from shiftwork.errors import EXIT_DONE, EXIT_LIMIT, IntentError, UsageError
from shiftwork.ports.rows.row_parts import WaitCause
from shiftwork.records import replace


def said(spoken: Reply, *, as_json: bool) -> int:
    """Sends the reply; the run continues here if no process works on it, otherwise in that process. Its run is
    as the user named it: the first characters of an id, or empty for the newest run.
    """
    run, story, word = spoken.run, spoken.story, spoken.word
    site = here()
    queries = open_queries(site)
    view = answer(lambda: run_view(queries, run, liveness()))
    if not run:
        _make_sure_which(view, story, answer(lambda: waiting_in(queries, story)))
    _check_limit(view, story, word)
    _make_sure(site, view, as_json=as_json)
    spoken = replace(spoken, run=RunId(view.run.run))
    hold, patch = answer(lambda: _reply(site, spoken))
    if view.worker:
        return _output(view, spoken, (hold, patch), as_json=as_json)
    if patch and not as_json:
        with though_undelivered():
            click.echo(f"approved {_approved(spoken.story, patch)}")
    return _carry_on(site, view, as_json=as_json)


def as_answer(site: Site, run: str, typed: str) -> tuple[str, str, str]:
    """The run, the story and the text that are meant by one word or sentence: a story whose question is to be shown, or
    the answer to the only story that waits. An id that is typed wrongly is no answer; a number is that of an option.
    """
    waiting = answer(lambda: stories_that(open_queries(site), which_run.NEEDS_YOU.fits))
    if which_run.is_story(site, typed) or looks_like_story(typed, [row.story for row in waiting]):
        return run, typed, ""
    return *which_run.only_story(site, run, "answer", which_run.NEEDS_YOU), typed


def show_question(run: str, story: str, *, as_json: bool) -> int:
    """Prints what the story asks, with the options and the commands that answer it. Raises UsageError if it does not
    wait, and for programs, which have to give an answer.
    """
    queries = open_queries(here())
    view = answer(lambda: run_view(queries, run, liveness()))
    if not run:
        _make_sure_which(view, story, answer(lambda: waiting_in(queries, story)))
    row = next((item.story for item in view.stories if item.story.story == story), None)
    if row is None or not row.waiting.needs_person:
        status = f"shiftwork status {view.run.run}"
        raise UsageError(f"the answer is empty, and {story} is not waiting for one", hint=status)
    if as_json:
        *_, (command, _) = next_steps.replies(view, row)
        raise UsageError(f"the answer is empty; {story} {says_of(row)}: {reason(row)}", hint=command)
    with though_undelivered():
        click.echo("\n".join(question_lines(view, row)))
    return EXIT_LIMIT


def approved_all(run: str, because: str, *, as_json: bool) -> int:
    """Approves every story of the run that needs approval, and nothing else."""
    site = here()
    queries = open_queries(site)
    named = run or _which(site, answer(lambda: approvals_in(queries)))
    view = answer(lambda: run_view(queries, named, liveness()))
    waiting = [story.story.story for story in view.stories if story.story.waiting.cause is WaitCause.APPROVAL]
    changed = [story.story.story for story in view.stories if story.story.waiting.cause is WaitCause.CHANGED]
    if not waiting:
        raise _nothing_waits(view, changed)
    _make_sure(site, view, as_json=as_json)
    if changed and not as_json:
        with though_undelivered():
            click.echo("\n".join(_left_out(view, story) for story in changed))
    spoken = [
        Reply(run=RunId(view.run.run), story=StoryId(story), word=Word.APPROVE, text=because) for story in waiting
    ]
    approved = answer(lambda: _approve_all(site, spoken))
    named = ", ".join(_approved(story, patch) for story, (_, patch) in approved.items())
    if not view.worker:
        if named and not as_json:
            with though_undelivered():
                click.echo(f"approved {named}")
        return _carry_on(site, view, as_json=as_json)
    if as_json:
        replies = [_given(story, hold, patch) for story, (hold, patch) in approved.items()]
        say(documents.Reply(run=view.run.run, said=Word.APPROVE, replies=replies, skipped=changed))
    else:
        named = named or "nothing: all were answered in the meantime"
        click.echo(f"approved {named}\nnext: shiftwork status {view.run.run}")
    return EXIT_DONE


def _which(site: Site, waiting: Sequence[str]) -> str:
    """The run to use when none is named; empty for the newest. Never silently uses an older run."""
    newest = answer(lambda: run_view(open_queries(site), "", liveness())).run.run
    if set(waiting) <= {newest}:
        return ""
    if len(waiting) > 1:
        return which_run.chosen(site, "shiftwork approve --all --run {run}")
    raise UsageError(
        f"stories need approval in run {waiting[0]}, and none in the newest run, {newest}",
        hint=f"shiftwork status {waiting[0]}, then: shiftwork approve --all --run {waiting[0]}",
    )


def _nothing_waits(view: RunView, changed: Sequence[str]) -> IntentError:
    if not changed:
        return IntentError(f"no story of run {view.run.run} needs approval", hint=f"shiftwork status {view.run.run}")
    which = next_steps.naming(view)
    return IntentError(
        "\n".join(_left_out(view, story) for story in changed), hint=f"shiftwork approve {changed[0]}{which}"
    )


def _left_out(view: RunView, story: str) -> str:
    which = next_steps.naming(view)
    return (
        f"{story} is skipped: its patch has changed since you approved it. "
        f"Read it (shiftwork diff {story} --since-approved{which}), then approve it by name "
        f"(shiftwork approve {story}{which})"
    )


def _make_sure(site: Site, view: RunView, *, as_json: bool) -> None:
    """Checks that the run can continue here, if no process works on it."""
    if view.worker is None:
        from shiftwork.entrypoints.cli.control.intents import Start, make_sure  # noqa: PLC0415 - heavy, and needed only here

        make_sure(site, view, Start(as_json=as_json))


def _carry_on(site: Site, view: RunView, *, as_json: bool) -> int:
    from shiftwork.entrypoints.cli.control import resume  # noqa: PLC0415 - heavy, and needed only here

    return resume.carry_on(site, view, as_json=as_json)


def _make_sure_which(view: RunView, story: str, waiting: Sequence[str]) -> None:
    """Raises UsageError if a story of the same id needs an answer in another run, because the reply might be meant for
    it.
    """
    if set(waiting) <= {view.run.run}:
        return
    message = (
        f"in {len(waiting)} runs: {', '.join(waiting)}" if len(waiting) > 1 else f"in run {waiting[0]}, not the newest"
    )
    raise UsageError(
        f"{story} needs your answer {message}",
        hint=f"shiftwork status {waiting[-1]}, then the same with: --run {waiting[-1]}",
    )


def _check_limit(view: RunView, story: str, word: Word) -> None:
    """Approval does not raise a limit: the command that does is shown before anything else is checked."""
    held = next((row for row in next_steps.at_limit(view) if row.story == story), None)
    if held and word is not Word.REJECT:
        hint = raise_hint.command(view.run.run, reached_of(held))
        raise IntentError(f"{story} has reached its limit: {reason(held)}", hint=hint)


async def _reply(site: Site, spoken: Reply) -> tuple[Hold, Patch | None]:
    """The hold that was answered, and the patch that was approved."""
    box = await open_inbox(site)
    patch = await patch_asked_about(box.events, spoken)
    hold = await reply(box.events, box.inbox, spoken)
    return hold, patch if spoken.word is Word.APPROVE and hold.cause in APPROVALS else None


async def _approve_all(site: Site, spoken: Sequence[Reply]) -> Mapping[StoryId, tuple[Hold, Patch | None]]:
    box = await open_inbox(site)
    patches = {reply.story: await patch_asked_about(box.events, reply) for reply in spoken}
    holds = await approve_all(box.events, box.inbox, spoken)
    return {story: (hold, patches[story]) for story, hold in holds.items()}


def _approved(story: str, patch: Patch | None) -> str:
    return f"{story} (commit {patch.commit[:10]} on {patch.base[:10]})" if patch else story


def _given(story: str, hold: Hold, patch: Patch | None) -> documents.GivenReply:
    commit, base = (patch.commit, patch.base) if patch else ("", "")
    return documents.GivenReply(story=story, question=hold.detail, commit=commit, base=base)


def _output(view: RunView, spoken: Reply, said: tuple[Hold, Patch | None], *, as_json: bool) -> int:
    hold, patch = said
    if as_json:
        say(documents.Reply(run=view.run.run, said=spoken.word, replies=[_given(spoken.story, hold, patch)]))
    else:
        done = f"approved {_approved(spoken.story, patch)}" if patch else f"answer sent to {spoken.story}"
        click.echo(f"{done}\nnext: shiftwork status {view.run.run}")
    return EXIT_DONE
