"""Writes a workflow as YAML with every short form expanded; reading it gives the same workflow."""

import re
from collections.abc import Iterator
from io import StringIO
from typing import Any

from shiftwork.adapters.workflows.workflow_fields import CONTINUE, DEFAULT_RETRIES
from shiftwork.domain.story.routing import RETRY
from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.domain.workflow.workflow import AgentPlan, Exhausted, Route, StepKind, StepPlan, Workflow


def expanded(workflow: Workflow) -> str:
    return _dumped(document(workflow))


def _dumped(document: dict[str, Any]) -> str:
    from ruamel.yaml import YAML  # noqa: PLC0415 - loaded only when needed

    yaml = YAML()
    yaml.width = 110
    yaml.indent(mapping=2, sequence=4, offset=2)
    stream = StringIO()
    yaml.dump(document, stream)
    return stream.getvalue()


def document(workflow: Workflow) -> dict[str, Any]:
    """The workflow as plain values with the keys of workflow files, without empty and default values."""
    return _kept(
        {
            "id": workflow.id,
            "name": workflow.name,
            "version": workflow.version,
            "description": _text(workflow.description),
            "parallel": workflow.parallel,
            "context": dict(workflow.context),
            "notifications": _kept({"url": workflow.notify_url}),
            "agents": [_agent(agent) for agent in workflow.agents],
            "steps": [_step(step) for step in workflow.steps],
        }
    )


def _agent(agent: AgentPlan) -> dict[str, Any]:
    seconds = None if agent.timeout_minutes is None else _plain(60 * agent.timeout_minutes)
    return _kept(
        {
            "id": agent.id,
            "name": agent.name,
            "role": agent.role,
            "profile": agent.profile,
            "model": agent.model,
            "timeoutSeconds": seconds,
        }
    )


def with_personas(workflow: Workflow) -> dict[str, str]:
    """The expanded workflow and the persona files of its agents, by their path in a folder of their own."""
    personas = {_persona_path(agent, name): text for agent in workflow.agents for name, text in agent.persona}
    agents = [
        _agent(agent) | _kept({"workspace": _kept({"files": {n: _persona_path(agent, n) for n, _ in agent.persona}})})
        for agent in workflow.agents
    ]
    return personas | {"workflow.yml": _dumped(document(workflow) | _kept({"agents": agents}))}


def _persona_path(agent: AgentPlan, name: str) -> str:
    return f"agents/{_file_name(agent.id)}/{_file_name(name)}"


def _file_name(name: str) -> str:
    """The name without characters that could lead elsewhere."""
    return re.sub(r"[^\w.-]|\A\.+", "_", name) or "_"


def _step(step: StepPlan) -> dict[str, Any]:
    if step.kind is StepKind.LOOP:
        return _kept(
            {
                "id": step.name,
                "type": "loop",
                "description": step.description,
                "loop": {"over": "stories", "completion": "all_done"},
                **_failing(step),
                "body": [_step(inner) for inner in step.body],
            }
        )
    asks = step.kind is StepKind.APPROVAL
    row = CATALOGUE.get(step.type)
    made = _kept(
        {
            "id": step.name,
            "kind": None if step.kind is StepKind.AGENT else str(step.kind),
            "type": step.type if row else None,
            "agent": step.agent,
            "description": "" if row and row.description == step.description else step.description,
            "ask" if asks else "input": _text(step.input),
            "expects": step.expects,
            "run": {gate.name: gate.command for gate in step.commands},
            "timeout": _plain(step.minutes),
            **_failing(step),
            "decision_key": step.decision_key.upper(),
            "default_decision": step.default,
            "on_decision": {route.value: _route(route) for route in step.routes if not _fails(step, route)},
            "output_keys": list(step.output_keys),
            "shared_keys": list(step.shared_keys),
        }
    )
    # Written only if the prompt does not imply it.
    implied = "STORIES_JSON" in f"{step.input}{step.expects}"
    return made if step.plans is implied else {**made, "plans": step.plans}


def _failing(step: StepPlan) -> dict[str, Any]:
    """Retries and `on_fail`. A step that returns to an earlier step has its own retries under `on_fail`: elsewhere they
    would count as those of the earlier step.
    """
    back = next((route for route in step.routes if _fails(step, route)), None)
    limit = None if step.max_retries == DEFAULT_RETRIES else step.max_retries
    decides = any(route.back and not route.rounds for route in step.routes if route is not back)
    on_fail = _kept(
        {
            "retry_step": back.target if back else "",
            "clear": list(back.clear) if back else [],
            "max_retries": limit if decides else None,
            "escalate_to": "human" if step.exhausted is Exhausted.ASK else "",
        }
    )
    return {"max_retries": None if decides else limit, "on_fail": on_fail}


def _fails(step: StepPlan, route: Route) -> bool:
    """Whether the route is that of `on_fail`: without a `decision_key`, an agent can only decide by its STATUS."""
    return step.kind is StepKind.AGENT and not step.decision_key and route.value == RETRY and route.back


def _route(route: Route) -> Any:
    if not route.target and not route.clear and not route.adds:
        return CONTINUE
    where = "retry_step" if route.back else "next_step"
    more = {"clear": list(route.clear), "add_steps": list(route.adds), "rounds": route.rounds or None}
    return _kept({where: route.target, **more})


def _kept(values: dict[str, Any]) -> dict[str, Any]:
    return dict(_worth(values))


def _worth(values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if value or (value == 0 and not isinstance(value, bool) and value is not None):
            yield key, value


def _plain(number: float) -> float:
    return int(number) if float(number).is_integer() else number


def _text(text: str) -> str:
    """Texts of several lines as a block, which is easier to read."""
    from ruamel.yaml.scalarstring import LiteralScalarString  # noqa: PLC0415 - as above

    return LiteralScalarString(text + "\n") if "\n" in text else text
