"""Builds the workflow model from the entries of a file; `planning.desugar` expands short forms."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from shiftwork.adapters.workflows._personas import Personas, team_agent
from shiftwork.adapters.workflows.tree_reader import Entry
from shiftwork.adapters.workflows.workflow_fields import DEFAULT_RETRIES
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.domain.workflow.template_values import BUILT_IN
from shiftwork.domain.workflow.workflow import AgentPlan, Exhausted, Route, StepKind, StepPlan, Workflow
from shiftwork.planning import desugar
from shiftwork.planning.team import TEAM_ROLES, USUAL_ROUNDS, turns
from shiftwork.records import replace
from shiftwork.regexes import regex

STORIES: Final = "stories"
OWN: Final = "custom"
"""The type of a step with its own prompt whose id is also in the catalogue: the id gives it no rights."""

_GATE_MINUTES: Final = 15
_JUDGING: Final = frozenset({"verification", "testing", "scanning"})
_STORIES: Final = regex(r"\bSTORIES_JSON\b")


def build(root: Entry, personas: Personas) -> Workflow:
    profiles = root.pairs("profiles")
    own = tuple(_agent(entry, profiles, personas.of(entry)) for entry in root.entries("agents"))
    agents = (*own, *_team_agents(root, {agent.id for agent in own}, profiles))
    steps = Steps({agent.id: agent for agent in agents}).pipeline(root.entries("steps"))
    loops = (entry.entry("loop").number("parallel") for entry in root.entries("steps"))
    parallel = root.number("parallel") or next((number for number in loops if number), None)
    return Workflow(
        id=root.text("id"),
        version=int(root.number("version") or 1),
        name=root.text("name"),
        description=root.text("description").strip(),
        steps=steps,
        agents=agents,
        context=tuple(_context(root.pairs("context"))),
        parallel=int(parallel) if parallel else None,
        notify_url=root.entry("notifications").text("url"),
    )


def _context(given: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """Leaves out values that the run sets itself; a value that only names itself is empty, because something else sets
    it.
    """
    for key, value in given.items():
        name = key.lower()
        if name not in BUILT_IN:
            yield name, "" if value.replace(" ", "").lower() == f"{{{{{name}}}}}" else value


def _agent(entry: Entry, profiles: Mapping[str, str], persona: tuple[tuple[str, str], ...]) -> AgentPlan:
    seconds = entry.number("timeoutSeconds")
    return AgentPlan(
        id=entry.text("id"),
        name=entry.text("name"),
        role=entry.text("role"),
        profile=entry.text("profile") or profiles.get(entry.text("role"), ""),
        model=entry.text("model"),
        timeout_minutes=seconds / 60 if seconds else None,
        persona=persona,
    )


def _team_agents(root: Entry, own: Collection[str], profiles: Mapping[str, str]) -> Iterable[AgentPlan]:
    every = (entry for step in root.entries("steps") for entry in (step, *step.entries("body")))
    members = dict.fromkeys(member for entry in every for member in entry.texts("team"))
    made = (team_agent(member) for member in members if member in TEAM_ROLES and member not in own)
    return (replace(agent, profile=profiles.get(agent.role, "")) for agent in made)


def kind_of(entry: Entry) -> StepKind:
    if entry.text("type") == StepKind.LOOP or entry.text("kind") == StepKind.LOOP:
        return StepKind.LOOP
    return StepKind(entry.text("kind") or StepKind.AGENT)


def verifies(entry: Entry) -> str:
    """The step that verifies each story in this loop; empty if there is none."""
    loop = entry.entry("loop")
    verifies_each = kind_of(entry) is StepKind.LOOP and loop.flag("verify_each") and not entry.has("body")
    return loop.text("verify_step") if verifies_each else ""


def type_of(entry: Entry) -> str:
    """A type of the catalogue if the step names one, or has its id and no prompt of its own; else its id."""
    named, name = entry.text("type"), entry.text("id")
    if named in CATALOGUE:
        return named
    taken = name in CATALOGUE and (entry.has("input") or kind_of(entry) is not StepKind.AGENT)
    return OWN if taken else name


class Steps:
    """Builds step plans; `agents`, by id, provide time limits."""

    def __init__(self, agents: Mapping[str, AgentPlan]) -> None:
        self._agents = agents
        self._judges = frozenset(agent.id for agent in agents.values() if agent.role in _JUDGING)

    def pipeline(self, entries: Sequence[Entry]) -> tuple[StepPlan, ...]:
        """One list of steps. A step that verifies each story becomes part of the loop and is left out elsewhere."""
        by_id = {entry.text("id"): entry for entry in entries}
        taken = {verifies(entry) for entry in entries if verifies(entry) in by_id}
        kept = [entry for entry in entries if entry.text("id") not in taken]
        plans = [plan for entry in kept for plan in self._plans_of(entry, by_id)]
        limited = _limited(plans, [entry for entry in kept if kind_of(entry) is not StepKind.LOOP], by_id)
        return desugar.with_judges(limited, self._judges)

    def _plans_of(self, entry: Entry, by_id: Mapping[str, Entry]) -> tuple[StepPlan, ...]:
        if kind_of(entry) is StepKind.LOOP:
            return (self._loop(entry, by_id),)
        team = [member for member in entry.texts("team") if member in self._agents]
        if not team:
            return (self._single(entry),)
        return turns(self._single(entry), team, int(entry.number("rounds") or USUAL_ROUNDS), self._judges)

    def _loop(self, entry: Entry, by_id: Mapping[str, Entry]) -> StepPlan:
        return StepPlan(
            name=entry.text("id"),
            type=STORIES,
            kind=StepKind.LOOP,
            description=entry.text("description"),
            max_retries=_retries(entry),
            exhausted=_exhausted(entry),
            body=self._body(entry, by_id.get(verifies(entry))),
        )

    def _body(self, entry: Entry, verifier: Entry | None) -> tuple[StepPlan, ...]:
        if entry.has("body"):
            return self.pipeline(entry.entries("body"))
        first = replace(self._single(entry), kind=StepKind.AGENT)
        if verifier is None or verifier is entry:
            return _limited([first], [entry], {entry.text("id"): entry})
        both = desugar.verify_each(first, self._single(verifier))
        return _limited(both, [entry, verifier], {step.text("id"): step for step in (entry, verifier)})

    def _single(self, entry: Entry) -> StepPlan:
        kind = kind_of(entry)
        row = CATALOGUE.get(type_of(entry))
        plan = StepPlan(
            name=entry.text("id"),
            type=type_of(entry),
            kind=kind,
            description=entry.text("description") or (row.description if row else ""),
            minutes=self._minutes(entry),
            max_retries=_retries(entry),
            exhausted=_exhausted(entry),
            output_keys=_lower(entry.texts("output_keys")),
            agent=entry.text("agent"),
            input=(entry.text("ask") if kind is StepKind.APPROVAL else entry.text("input")).strip(),
            expects=entry.text("expects").strip(),
            decision_key=entry.text("decision_key").lower(),
            default=entry.text("default_decision").lower(),
            routes=tuple(_route(route) for route in entry.entries("on_decision")),
            shared_keys=_lower(entry.texts("shared_keys")),
            commands=_commands(entry),
            plans=kind is StepKind.AGENT and self._plans(entry),
        )
        failing = entry.entry("on_fail")
        if not failing.text("retry_step"):
            return plan
        back = desugar.failure_route(kind, failing.text("retry_step"), _lower(failing.texts("clear")))
        return desugar.with_route(plan, back)

    def _plans(self, entry: Entry) -> bool:
        """The file's `plans`; without it, whether the prompt or the persona mentions STORIES_JSON."""
        if entry.has("plans"):
            return entry.flag("plans")
        agent = self._agents.get(entry.text("agent"))
        persona = [text for _, text in agent.persona] if agent else []
        return any(_STORIES.search(text) for text in (entry.text("input"), entry.text("expects"), *persona))

    def _minutes(self, entry: Entry) -> float:
        agent = self._agents.get(entry.text("agent"))
        row = CATALOGUE.get(type_of(entry))
        usual = row.minutes if row else _GATE_MINUTES if kind_of(entry) is StepKind.GATE else 30
        return entry.number("timeout") or (agent.timeout_minutes if agent else None) or usual


def _commands(entry: Entry) -> tuple[Gate, ...]:
    minutes = entry.number("timeout") or _GATE_MINUTES
    return tuple(Gate(name=name, command=text, minutes=minutes) for name, text in entry.pairs("run").items())


def _route(entry: Entry) -> Route:
    back = entry.text("retry_step")
    return Route(
        value=entry.key.lower(),
        target=back or entry.text("next_step"),
        back=bool(back),
        clear=_lower(entry.texts("clear")),
        adds=tuple(entry.texts("add_steps")),
        rounds=int(entry.number("rounds") or 0),
    )


def _lower(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(key.lower() for key in keys)


def _stated(entry: Entry) -> int | None:
    """The retries that a step states for itself: its own, else those of an `on_fail` without `retry_step`."""
    failing = entry.entry("on_fail")
    own = None if failing.text("retry_step") else failing.number("max_retries")
    found = entry.number("max_retries")
    return _whole(own if found is None else found)


def _whole(number: float | None) -> int | None:
    return None if number is None else int(number)


def _retries(entry: Entry) -> int:
    stated = _stated(entry)
    return DEFAULT_RETRIES if stated is None else stated


def _exhausted(entry: Entry) -> Exhausted:
    failing = entry.entry("on_fail")
    nested = failing.has("on_exhausted") and not failing.text("retry_step")
    asks = entry.has("on_exhausted") or failing.has("escalate_to") or nested
    return Exhausted.ASK if asks else Exhausted.FAIL


def _limited(plans: Sequence[StepPlan], entries: Sequence[Entry], by_id: Mapping[str, Entry]) -> tuple[StepPlan, ...]:
    """Moves the retry limit of a step that returns to an earlier step to that earlier step, which counts the retries.

    If both state a number, the larger applies.
    """
    limited = tuple(plans)
    limits: dict[str, int | None] = {}
    for entry in entries:
        for target, asked, exhausted in _asked(entry):
            stated = [limit for limit in (asked, limits.get(target), _own(by_id, target)) if limit is not None]
            limits[target] = max(stated, default=None)
            limited = desugar.with_limit(limited, target, limits[target], exhausted)
    return limited


def _own(by_id: Mapping[str, Entry], target: str) -> int | None:
    return _stated(by_id[target]) if target in by_id else None


def _asked(entry: Entry) -> Iterable[tuple[str, int | None, Exhausted | None]]:
    failing = entry.entry("on_fail")
    exhausted = Exhausted.ASK if entry.has("on_exhausted") or failing.has("on_exhausted") else None
    if failing.text("retry_step"):
        yield failing.text("retry_step"), _whole(failing.number("max_retries")), exhausted
    for route in entry.entries("on_decision"):
        if route.text("retry_step") and not route.has("rounds"):
            yield route.text("retry_step"), _whole(entry.number("max_retries")), exhausted
