"""Checks the fields of a workflow file against each other; `planning.workflow_checks` checks the model as a whole."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from shiftwork.adapters.workflows._building import kind_of, type_of, verifies
from shiftwork.adapters.workflows._diagnostics import Diagnostics
from shiftwork.adapters.workflows._yaml import MAPPING, Place
from shiftwork.adapters.workflows.tree_reader import Entry
from shiftwork.adapters.workflows.workflow_fields import CONTINUE, ROLES
from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.domain.workflow.template_values import PROTECTED_KEYS
from shiftwork.domain.workflow.workflow import StepKind, Workflow
from shiftwork.planning import team, workflow_checks
from shiftwork.prompts.answer.problem import did_you_mean, shown
from shiftwork.prompts.render import names

_OF_TEAMS: Final = frozenset({"id", "team", "rounds", "description", "timeout", "max_retries", "on_exhausted"})
_INSTEAD: Final = "workspace.files of an agent say what it does"


def every_step(root: Entry) -> list[Entry]:
    return [entry for step in root.entries("steps") for entry in (step, *step.entries("body"))]


def check_file(root: Entry, diagnostics: Diagnostics) -> None:
    """All checks that need only the file."""
    every = every_step(root)
    _twice(root.entries("agents"), "agent", diagnostics)
    # A step of a loop may have the loop's own id, because expanded short forms of loops look like that.
    inner = {id(entry) for step in root.entries("steps") for entry in step.entries("body") if _like(entry, step)}
    _twice([step for step in every if id(step) not in inner], "step", diagnostics)
    for role, place in _keys(root, "profiles"):
        if role not in ROLES:
            known = did_you_mean(role, ROLES) or f"; it can be {', '.join(ROLES)}"
            diagnostics.mistake(place, f"profiles: {shown(role)} is not a role{known}")
    for key, place in _keys(root, "context"):
        if key.lower() in PROTECTED_KEYS:
            diagnostics.note(place, f"context: {key} is set by the run itself")
    loops = [step for step in root.entries("steps") if kind_of(step) is StepKind.LOOP]
    for extra in loops[1:]:
        diagnostics.mistake(
            extra.at("id"), f"step {shown(extra.text('id'))}: only one loop over the stories is possible"
        )
    for step in every:
        _Step(step, root, diagnostics).check()


def _like(step: Entry, loop: Entry) -> bool:
    alike = [entry for entry in loop.entries("body") if entry.text("id") == loop.text("id")]
    return alike[:1] == [step]


def _twice(entries: Sequence[Entry], called: str, diagnostics: Diagnostics) -> None:
    first: dict[str, Entry] = {}
    for entry in entries:
        name = entry.text("id")
        if name and first.setdefault(name.casefold(), entry) is not entry:
            line = first[name.casefold()].at("id").line
            diagnostics.mistake(entry.at("id"), f"{called} {name!r} appears twice, first in line {line}")


def _keys(entry: Entry, name: str) -> Iterator[tuple[str, Place]]:
    node = entry.nodes.get(name)
    for member in node.members if node else ():
        yield member.key, member.place


class _Step:
    """One step: fields that its kind requires, and fields that its kind does not use."""

    def __init__(self, step: Entry, root: Entry, diagnostics: Diagnostics) -> None:
        self._step = step
        self._root = root
        self._diagnostics = diagnostics
        self._kind = kind_of(step)

    def check(self) -> None:
        self._useless()
        if self._step.has("team"):
            self._team()
            return
        if self._step.has("rounds"):
            self._at_key("rounds", "rounds belongs to a step with a team, or to a route with retry_step")
        self._needs()
        self._decisions()
        if self._kind is StepKind.LOOP:
            self._loop()
        for name in names("\n".join(self._step.pairs("run").values())):
            message = f"commands are not templates, so {{{{{name}}}}} would stay as it is"
            self._mistake("run", message)

    def _mistake(self, name: str, text: str) -> None:
        self._diagnostics.mistake(self._step.at(name), f"step {shown(self._step.text('id'))}: {text}")

    def _at_key(self, name: str, text: str) -> None:
        place = self._step.keys.get(name, self._step.place)
        self._diagnostics.mistake(place, f"step {shown(self._step.text('id'))}: {text}")

    def _of_loop(self, name: str, text: str) -> None:
        place = self._step.entry("loop").at(name)
        self._diagnostics.mistake(place, f"step {shown(self._step.text('id'))}: {text}")

    def _useless(self) -> None:
        only = {
            "run": (StepKind.GATE,),
            "ask": (StepKind.APPROVAL,),
            "loop": (StepKind.LOOP,),
            "body": (StepKind.LOOP,),
            "input": (StepKind.AGENT, StepKind.LOOP),
            "expects": (StepKind.AGENT, StepKind.LOOP),
        }
        for name, kinds in only.items():
            if self._step.has(name) and self._kind not in kinds:
                needed = "type: loop" if kinds == (StepKind.LOOP,) else f"kind: {kinds[0]}"
                message = f"{name} belongs to a step with {needed}; this step is of kind {self._kind}"
                self._at_key(name, message)

    def _team(self) -> None:
        for name in self._step.keys.keys() - _OF_TEAMS:
            self._at_key(name, f"{name} does not belong to a step with a team; {_INSTEAD}")
        agents = [agent.text("id") for agent in self._root.entries("agents")]
        taken = {entry.text("id") for entry in every_step(self._root) if entry is not self._step}
        earlier = takewhile(lambda entry: entry is not self._step, every_step(self._root))
        others = taken.union(*(entry.texts("team") for entry in earlier))
        for text in team.mistakes(self._step.texts("team"), agents, others):
            self._mistake("team", text)

    def _needs(self) -> None:
        if self._step.has("body"):
            for name in ("input", "agent", "decision_key", "on_decision"):
                if self._step.has(name):
                    self._at_key(name, f"{name} belongs to the steps of the body")
            return
        if self._kind is StepKind.APPROVAL and not self._step.text("ask").strip():
            self._mistake("ask", "an approval needs ask: the question for the person")
        if self._kind not in {StepKind.AGENT, StepKind.LOOP}:
            return
        if type_of(self._step) not in CATALOGUE and not self._step.text("input").strip():
            self._mistake("input", "it has no input, and the catalogue has no prompt for its type")
        agents = [agent.text("id") for agent in self._root.entries("agents")]
        if agents and not self._step.text("agent"):
            self._mistake("agent", f"it has no agent; known agents: {', '.join(agents)}")

    def _decisions(self) -> None:
        decides = self._kind in {StepKind.GATE, StepKind.APPROVAL}
        if self._step.has("decision_key") and not self._step.entries("on_decision"):
            self._mistake("decision_key", "decision_key needs on_decision, which says where each value leads")
        if self._step.has("on_decision") and not self._step.has("decision_key") and not decides:
            self._at_key("on_decision", "on_decision needs decision_key, which names the key to look at")
        for route in self._step.entries("on_decision"):
            given = [name for name in ("next_step", "retry_step") if route.has(name)]
            where = f"step {shown(self._step.text('id'))}: on_decision.{route.key}"
            if len(given) > 1:
                self._diagnostics.mistake(route.at("retry_step"), f"{where} has both next_step and retry_step")
            elif route.has("add_steps") and route.has("retry_step"):
                self._diagnostics.mistake(route.at("add_steps"), f"{where} has both add_steps and retry_step")
            elif not given and not route.has("add_steps") and route.node.kind == MAPPING:
                message = (
                    f"{where} has neither next_step nor retry_step; the word {CONTINUE} means the next step in order"
                )
                self._diagnostics.mistake(route.place, message)
            if route.has("rounds") and not route.has("retry_step"):
                self._diagnostics.mistake(
                    route.at("rounds"), f"{where} has rounds, but no retry_step, which names the first step of a round"
                )

    def _loop(self) -> None:
        loop = self._step.entry("loop")
        if not self._step.has("loop") and not self._step.has("body"):
            message = "a loop needs loop: {over: stories}, or a body with the steps of each story"
            self._mistake("type" if self._step.has("type") else "kind", message)
        if any(self._step is entry for step in self._root.entries("steps") for entry in step.entries("body")):
            self._mistake("type", "a loop cannot contain another loop")
        if loop.flag("verify_each") and self._step.has("body"):
            self._of_loop("verify_each", "a loop with a body is verified by a step of the body")
        elif loop.flag("verify_each") and not loop.text("verify_step"):
            self._of_loop("verify_each", "verify_each needs verify_step, the step that verifies")
        elif verifies(self._step):
            self._verifier()

    def _verifier(self) -> None:
        wanted = verifies(self._step)
        known = {step.text("id"): step for step in self._root.entries("steps")}
        others = [name for name in known if name != self._step.text("id")]
        if wanted == self._step.text("id"):
            self._of_loop("verify_step", "verify_step cannot be the loop itself")
        elif wanted not in known:
            message = f"verify_step {shown(wanted)} is no step here{did_you_mean(wanted, others)}"
            self._of_loop("verify_step", message)
        elif kind_of(known[wanted]) is not StepKind.AGENT:
            self._of_loop("verify_step", f"verify_step {wanted!r} must be an agent step")


def check_model(workflow: Workflow, root: Entry, text: str, diagnostics: Diagnostics) -> None:
    """Checks that need the whole workflow: routes, names in templates, producers. Names without a value are notes."""
    every = {step.text("id"): step for step in root.entries("steps")}
    every |= {inner.text("id"): inner for step in root.entries("steps") for inner in step.entries("body")}
    for flaw in workflow_checks.check(workflow):
        entry = every.get(flaw.step, root)
        diagnostics.mistake(
            _place(entry, flaw, text), f"step {flaw.step!r}: {flaw.message}" if flaw.step else flaw.message
        )
    for flaw in workflow_checks.unresolved(workflow):
        diagnostics.note(_place(every[flaw.step], flaw, text), f"step {flaw.step!r}: {flaw.message}")


def _place(entry: Entry, flaw: workflow_checks.Flaw, text: str) -> Place:
    head, _, value = flaw.field.partition(".")
    match head:
        case "input":
            return _named(entry, flaw.message, text)
        case "on_decision":
            return _route(entry, value)
        case "routes":
            cleared = (route for route in (*entry.entries("on_decision"), entry.entry("on_fail")) if route.has("clear"))
            return next(cleared, entry).at("clear")
        case _:
            return entry.at(head)


def _route(entry: Entry, value: str) -> Place:
    for route in entry.entries("on_decision"):
        if route.key.casefold() == value.casefold():
            return route.at("retry_step" if route.has("retry_step") else "next_step")
    return entry.entry("on_fail").at("retry_step")


def _named(entry: Entry, message: str, text: str) -> Place:
    """The place inside a template where it uses the name that the message is about."""
    node = entry.nodes.get("input") or entry.nodes.get("ask")
    wanted = re.search(r"\{\{(\w+)\}\}", message)
    if node is None or wanted is None:
        return entry.place
    found = re.compile(rf"\{{\{{[ \t]*{wanted[1]}[ \t]*\}}\}}").search(text, node.start, node.end)
    if found is None:
        return node.place
    before = text[: found.start()]
    return Place(line=before.count("\n") + 1, column=found.start() - (before.rfind("\n") + 1) + 1)
