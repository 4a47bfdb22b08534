"""Every field of a workflow file: the reader, the JSON Schema and the reference page use these tables."""

from typing import Final

from shiftwork.adapters.workflows._shapes import (
    Block,
    Blocks,
    Commands,
    Field,
    Flag,
    Named,
    Number,
    Pairs,
    Shape,
    Table,
    Text,
    Texts,
)
from shiftwork.domain.workflow.guardrails import HARNESS_ONLY
from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.planning.team import LARGEST_TEAM, SMALLEST_TEAM, TEAM_ROLES, USUAL_ROUNDS

DEFAULT_RETRIES: Final = 2
MOST_STEPS: Final = 30
MOST_AGENTS: Final = 50
CONTINUE: Final = "continue"
ROLES: Final = ("analysis", "coding", "verification", "testing", "pr", "scanning")

_NAME: Final = Text(pattern=r"[A-Za-z][A-Za-z0-9_-]{0,63}", looks="letters, digits, '-' and '_', a letter first")
_KEYS: Final = Texts(of=Text(pattern=r"[A-Za-z][A-Za-z0-9_]{0,63}", looks="letters, digits and '_'"))
_ADDABLE: Final = Text(one_of=tuple(name for name in CATALOGUE if name not in HARNESS_ONLY))
_HUMAN: Final = Text(one_of=("human",))
_RETRIES: Final = Number(least=0, most=100)
_SECONDS: Final = Number(least=1, most=86_400, whole=False)
_MINUTES: Final = Number(least=0.1, most=1_440, whole=False)
_ROUNDS: Final = Number(least=1, most=20)
_TEAM: Final = (
    f"Instead of a prompt: {SMALLEST_TEAM} to {LARGEST_TEAM} agents that take turns in rounds, in this order, each as "
    f"a step: ids of `agents`, or roles that need no agent: {', '.join(f'`{role}`' for role in TEAM_ROLES)}."
)
_ROUTE_ROUNDS: Final = (
    "With `retry_step`: the steps from there to this one are a team that works in at most so many rounds. They also "
    "end when nothing new is said, or when an agent of the role `verification`, `testing` or `scanning` says "
    "`STORY_COMPLETE: <id>`. The story then continues, and its gates decide."
)


def _field(name: str, shape: Shape, about: str, **more: object) -> Field:
    return Field(name=name, shape=shape, about=about, **more)  # type: ignore[arg-type]  # by their names


_WORKFLOW: Final = Table(
    name="workflow",
    called="the workflow",
    about="A whole file.",
    fields=(
        _field(
            "id",
            Text(pattern=r"[a-z0-9][a-z0-9-]{0,63}", looks="lowercase letters, digits and '-', no underscores"),
            "The name for `shiftwork run --workflow ID`. No underscores.",
            required=True,
        ),
        _field("name", Text(), "A display name."),
        _field("version", Number(least=0, most=1_000_000), "The author raises it with every change.", default="1"),
        _field("description", Text(), "What the workflow is for."),
        _field(
            "agents", Blocks(table="agent", most=MOST_AGENTS), "The agents that do the steps. Default: the run's agent."
        ),
        _field(
            "steps",
            Blocks(table="step", most=MOST_STEPS),
            "The steps, in order. A step of `type: loop` runs for each story; without a loop, every story goes "
            "through all steps.",
            required=True,
        ),
        _field("context", Pairs(), "Initial values, which templates use as `{{key}}`."),
        _field("profiles", Pairs(), "Maps roles to profiles of the settings, for agents without a `profile`."),
        _field(
            "parallel",
            Number(least=1, most=200),
            "How many stories are in progress at once, unless `run --parallel` says otherwise.",
        ),
        _field("polling", Block(table="polling"), "From antfarm.", idle="Shiftwork pushes work and does not poll"),
        _field("cron", Block(table="cron"), "From antfarm.", idle="Shiftwork pushes work and uses no timer"),
        _field("notifications", Block(table="notifications"), "Where notices about the run are posted."),
    ),
)

_AGENT: Final = Table(
    name="agent",
    called="agent",
    about="An agent that does steps.",
    fields=(
        _field("id", _NAME, "The name that steps refer to.", required=True),
        _field("name", Text(), "A display name."),
        _field("description", Text(), "What it is for."),
        _field("role", Text(one_of=ROLES), "What kind of work it does; `profiles` may map it to a profile."),
        _field("profile", _NAME, "Its profile of the settings. Default: the profile of its role, else the run's."),
        _field("model", Text(), "The model to use."),
        _field("timeoutSeconds", _SECONDS, "Time limit of its steps, unless a step has its own."),
        _field("workspace", Block(table="workspace"), "Its persona files."),
        _field("pollingModel", Text(), "From antfarm.", idle="Shiftwork pushes work and does not poll"),
    ),
)

_WORKSPACE: Final = Table(
    name="workspace",
    called="workspace",
    about="An agent's own files.",
    fields=(
        _field(
            "files",
            Pairs(),
            "Persona files, put before the step in its prompts under these names (`AGENTS.md`, `SOUL.md`, "
            "`IDENTITY.md`): each a path relative to the workflow's file, within the repository or the pack.",
        ),
        _field("baseDir", Text(), "From antfarm.", idle="each story has its own workspace"),
        _field("skills", Texts(), "From antfarm.", idle="agents find their skills in their own configuration"),
    ),
)

_STEP: Final = Table(
    name="step",
    called="step",
    about="One step of the pipeline, of a story or of the run.",
    fields=(
        _field("id", _NAME, "Its name in routes and output; unique in the file.", required=True),
        _field(
            "kind",
            Text(one_of=("agent", "gate", "approval", "loop")),
            "Who does it: an agent, Shiftwork with commands (`run`), a person (`ask`), or the steps of each story.",
            default="agent",
        ),
        _field(
            "type",
            Text(one_of=("single", "loop", *CATALOGUE)),
            "`loop` runs for each story. A type of the catalogue sets the step's prompt, time limit and rights.",
            default="single",
        ),
        _field("agent", Text(), "Which of `agents` does it. Required if there are any."),
        _field("description", Text(), "What it is for, in a line."),
        _field(
            "input",
            Text(),
            "The step's own part of the prompt, a template: `{{task}}` and the outputs of other steps (`KEY: value`).",
        ),
        _field("expects", Text(), "Text that the answer must contain, such as `STATUS: done`."),
        _field("timeout", _MINUTES, "How many minutes one attempt may take."),
        _field(
            "max_retries",
            _RETRIES,
            "How often it may be retried, for any reason.",
            default=str(DEFAULT_RETRIES),
        ),
        _field("on_fail", Block(table="on_fail"), "What happens when it fails, or answers `STATUS: retry`."),
        _field("on_exhausted", Block(table="on_exhausted"), "What happens when it has no retries left."),
        _field("decision_key", _KEYS.of, "The answer's key whose value selects the next step. Needs `on_decision`."),
        _field("default_decision", Text(), "The decision of an answer without that key; without it, the step fails."),
        _field(
            "on_decision",
            Named(table="route", word=CONTINUE),
            "The next step for each value, ignoring case; any other value fails the step. A gate decides "
            "`passed` or `failed` and a person `approved` or `rejected`, without a `decision_key`.",
        ),
        _field("output_keys", _KEYS, "The only keys that it may set. Default: every `KEY: value` of its answer."),
        _field(
            "shared_keys",
            _KEYS,
            "Those of its `output_keys` that another step may produce as well; both must list them.",
            also=("produces_shared",),
        ),
        _field("team", Texts(of=_NAME), _TEAM),
        _field("rounds", _ROUNDS, "How many rounds the team works at most.", default=str(USUAL_ROUNDS)),
        _field("loop", Block(table="loop"), "How a step of `type: loop` runs over the stories."),
        _field("body", Blocks(table="step", most=MOST_STEPS), "The steps that each story goes through, in a loop."),
        _field("run", Commands(), "Commands of a gate step, run by Shiftwork; without any, the gates of the settings."),
        _field("ask", Text(), "The question of an approval step to a person; a template."),
        _field(
            "plans",
            Flag(),
            "It answers with stories (`STORIES_JSON:`), and its changes are dropped. Default: whether its prompt "
            "or its persona mentions STORIES_JSON.",
        ),
        _field("required_outputs", _KEYS, "From other tools.", idle="a missing output renders as empty text"),
    ),
)

_LOOP: Final = Table(
    name="loop",
    called="loop",
    about="How a loop runs over the stories.",
    fields=(
        _field("over", Text(one_of=("stories",)), "What it runs over.", required=True),
        _field("completion", Text(one_of=("all_done",)), "When it ends.", default="all_done"),
        _field("verify_each", Flag(), "A second step verifies each story's work.", also=("verifyEach",)),
        _field("verify_step", Text(), "The step that verifies; it becomes part of the loop.", also=("verifyStep",)),
        _field("parallel", Number(least=1, most=200), "How many stories are in progress at once."),
        _field(
            "fresh_session",
            Flag(),
            "From antfarm.",
            also=("freshSession",),
            idle="every attempt starts a new session",
        ),
    ),
)

_ON_FAIL: Final = Table(
    name="on_fail",
    called="on_fail",
    about="What happens when a step fails.",
    fields=(
        _field("retry_step", Text(), "An earlier step to return to; its prompt includes the findings."),
        _field("max_retries", _RETRIES, "How often; counted at the step it returns to, else at this step."),
        _field("escalate_to", _HUMAN, "Ask a person when this step has no retries left."),
        _field("on_exhausted", Block(table="on_exhausted"), "What happens when that step has no retries left."),
        _field("clear", _KEYS, "Values to delete when returning."),
    ),
)

_ON_EXHAUSTED: Final = Table(
    name="on_exhausted",
    called="on_exhausted",
    about="What happens when no retries are left; without it, the story fails.",
    fields=(_field("escalate_to", _HUMAN, "Ask a person.", required=True),),
)

_ROUTE: Final = Table(
    name="route",
    called="route",
    about=f"What follows a decision: `next_step`, `retry_step`, `add_steps`, or the word `{CONTINUE}`.",
    fields=(
        _field("next_step", Text(), "A later step; the steps between are skipped."),
        _field("retry_step", Text(), "An earlier step; it and all steps after it run again."),
        _field("add_steps", Texts(of=_ADDABLE), "Steps of the catalogue to add after this one."),
        _field("rounds", _ROUNDS, _ROUTE_ROUNDS),
        _field("clear", _KEYS, "Values to delete on this route."),
        _field("pass_outputs", _KEYS, "From other tools.", idle="later steps see all outputs of earlier steps"),
    ),
)

_POLLING: Final = Table(
    name="polling",
    called="polling",
    about="Accepted from antfarm; without effect.",
    fields=(
        _field("model", Text(), "From antfarm."),
        _field("timeoutSeconds", _SECONDS, "From antfarm."),
    ),
)
_CRON: Final = Table(
    name="cron",
    called="cron",
    about="Accepted from antfarm; without effect.",
    fields=(_field("interval_ms", Number(least=1, most=10**12), "From antfarm."),),
)
_NOTIFICATIONS: Final = Table(
    name="notifications",
    called="notifications",
    about="Where notices about the run are posted, besides the channels of the settings.",
    fields=(
        _field(
            "url",
            Text(pattern=r"(https?://\S+)?", looks="an http address"),
            "Each notice is one POST of JSON, without a signature. Needs your consent unless the workflow is your own.",
        ),
    ),
)

TABLES: Final = {
    table.name: table
    for table in (
        _WORKFLOW,
        _AGENT,
        _WORKSPACE,
        _STEP,
        _LOOP,
        _ON_FAIL,
        _ON_EXHAUSTED,
        _ROUTE,
        _POLLING,
        _CRON,
        _NOTIFICATIONS,
    )
}
