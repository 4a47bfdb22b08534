"""Every field of a workflow file, in one place: the reader, the JSON Schema and the reference page are made of this."""

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
from shiftwork.domain.workflow.step_types import CATALOGUE

DEFAULT_RETRIES: Final = 2
MOST_STEPS: Final = 30
MOST_AGENTS: Final = 50
CONTINUE: Final = "continue"
ROLES: Final = ("analysis", "coding", "verification", "testing", "pr", "scanning")

_NAME: Final = Text(pattern=r"[A-Za-z][A-Za-z0-9_-]{0,63}", looks="letters, digits, '-' and '_', a letter first")
_KEYS: Final = Texts(of=Text(pattern=r"[A-Za-z][A-Za-z0-9_]{0,63}", looks="letters, digits and '_'"))
_HUMAN: Final = Text(one_of=("human",))
_RETRIES: Final = Number(least=0, most=100)
_SECONDS: Final = Number(least=1, most=86_400, whole=False)
_MINUTES: Final = Number(least=0.1, most=1_440, whole=False)


def _field(name: str, shape: Shape, about: str, **more: object) -> Field:
    return Field(name=name, shape=shape, about=about, **more)  # type: ignore[arg-type]  # by their names


_WORKFLOW: Final = Table(
    name="workflow",
    called="the workflow",
    about="A whole file.",
    fields=(
        _field(
            "id",
            Text(pattern=r"[a-z0-9][a-z0-9-]{0,63}", looks="small letters, digits and '-', and no underscores"),
            "What the workflow is called: `shiftwork run --workflow ID`. No underscores.",
            required=True,
        ),
        _field("name", Text(), "A name for people."),
        _field("version", Number(least=0, most=1_000_000), "Raised by its author with every change.", default="1"),
        _field("description", Text(), "What the workflow is for."),
        _field(
            "agents", Blocks(table="agent", most=MOST_AGENTS), "Who does the steps. Left out: the run's own agent does."
        ),
        _field(
            "steps",
            Blocks(table="step", most=MOST_STEPS),
            "What is done, in order. A step of `type: loop` goes over the stories; without one, every story goes "
            "through all steps.",
            required=True,
        ),
        _field("context", Pairs(), "Values that templates may name as `{{key}}` from the start."),
        _field(
            "profiles", Pairs(), "Which profile of the settings plays a role: role to profile, for agents without one."
        ),
        _field(
            "parallel",
            Number(least=1, most=200),
            "How many stories are in progress at once, unless `run --parallel` says otherwise.",
        ),
        _field("polling", Block(table="polling"), "Of antfarm.", idle="work is pushed here, nothing polls for it"),
        _field("cron", Block(table="cron"), "Of antfarm.", idle="work is pushed here, nothing waits for a timer"),
        _field("notifications", Block(table="notifications"), "Of antfarm.", idle="notifications are a setting here"),
    ),
)

_AGENT: Final = Table(
    name="agent",
    called="agent",
    about="Somebody who does steps.",
    fields=(
        _field("id", _NAME, "What steps call it by.", required=True),
        _field("name", Text(), "A name for people."),
        _field("description", Text(), "What it is good for."),
        _field("role", Text(one_of=ROLES), "What kind of work it does; `profiles` may map it to a profile."),
        _field("profile", _NAME, "The profile of the settings that plays it; else that of its role, else the run's."),
        _field("model", Text(), "The model to ask for."),
        _field("timeoutSeconds", _SECONDS, "How long its steps may take, where a step says nothing itself."),
        _field("workspace", Block(table="workspace"), "Files that tell it who it is."),
        _field("pollingModel", Text(), "Of antfarm.", idle="work is pushed here, nothing polls for it"),
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
            "Persona files, by the names under which they are put in front of its prompts (`AGENTS.md`, `SOUL.md`, "
            "`IDENTITY.md`): each a path from the workflow's file, within the same repository.",
        ),
        _field("baseDir", Text(), "Of antfarm.", idle="each story has a workspace of its own here"),
        _field("skills", Texts(), "Of antfarm.", idle="agents find their skills in their own configuration"),
    ),
)

_STEP: Final = Table(
    name="step",
    called="step",
    about="One step of the pipeline, of a story or of the run.",
    fields=(
        _field("id", _NAME, "What routes and people call it; once in a file.", required=True),
        _field(
            "kind",
            Text(one_of=("agent", "gate", "approval", "loop")),
            "Who does it: an agent, the harness by commands (`run`), a person (`ask`), or each story's own steps.",
            default="agent",
        ),
        _field(
            "type",
            Text(one_of=("single", "loop", *CATALOGUE)),
            "`loop` goes over the stories. A type of the catalogue gives the step its prompt, its time and its rights.",
            default="single",
        ),
        _field("agent", Text(), "Which of `agents` does it. Needed where there are any."),
        _field("description", Text(), "What it is for, in a line."),
        _field(
            "input", Text(), "The prompt, a template: `{{task}}` and what other steps have answered as `KEY: value`."
        ),
        _field("expects", Text(), "Text that the answer must hold, such as `STATUS: done`."),
        _field("timeout", _MINUTES, "How many minutes one attempt may take."),
        _field(
            "max_retries",
            _RETRIES,
            "How often it may be done again, for whatever reason.",
            default=str(DEFAULT_RETRIES),
        ),
        _field("on_fail", Block(table="on_fail"), "What happens when it fails, or answers `STATUS: retry`."),
        _field("on_exhausted", Block(table="on_exhausted"), "What happens when its retries are spent."),
        _field("decision_key", _KEYS.of, "The key of the answer whose value decides where to go. Needs `on_decision`."),
        _field(
            "on_decision",
            Named(table="route", word=CONTINUE),
            "Where each value leads, compared without regard to case; any other value fails the step. A gate decides "
            "`passed` or `failed` and a person `approved` or `rejected`, without a `decision_key`.",
        ),
        _field("output_keys", _KEYS, "The only keys that it may set; else every `KEY: value` of its answer counts."),
        _field(
            "shared_keys",
            _KEYS,
            "Those of its `output_keys` that another step may produce as well; both must say so.",
            also=("produces_shared",),
        ),
        _field("loop", Block(table="loop"), "How a step of `type: loop` goes over the stories."),
        _field("body", Blocks(table="step", most=MOST_STEPS), "The steps that each story goes through, in a loop."),
        _field(
            "run", Commands(), "Commands of a gate step, run by the harness; without any, the gates of the settings."
        ),
        _field("ask", Text(), "What a person is asked by an approval step; a template."),
        _field(
            "plans",
            Flag(),
            "It answers with stories (`STORIES_JSON:`), and what it changes is dropped. Left out: whether its prompt "
            "or its persona speaks of STORIES_JSON.",
        ),
        _field("required_outputs", _KEYS, "Of other tools.", idle="a missing output renders empty; nothing is refused"),
    ),
)

_LOOP: Final = Table(
    name="loop",
    called="loop",
    about="How a loop goes over the stories.",
    fields=(
        _field("over", Text(one_of=("stories",)), "What it goes over.", required=True),
        _field("completion", Text(one_of=("all_done",)), "When it is over.", default="all_done"),
        _field("verify_each", Flag(), "A second step looks at each story's work.", also=("verifyEach",)),
        _field("verify_step", Text(), "The step that does; it becomes part of the loop.", also=("verifyStep",)),
        _field("parallel", Number(least=1, most=200), "How many stories are in progress at once."),
        _field(
            "fresh_session",
            Flag(),
            "Of antfarm.",
            also=("freshSession",),
            idle="every attempt is a fresh session here",
        ),
    ),
)

_ON_FAIL: Final = Table(
    name="on_fail",
    called="on_fail",
    about="What happens when a step fails.",
    fields=(
        _field("retry_step", Text(), "An earlier step to go back to; what was found is told to it."),
        _field("max_retries", _RETRIES, "How often; counted by the step that is gone back to, else by this one."),
        _field("escalate_to", _HUMAN, "Ask a person when this step's retries are spent."),
        _field("on_exhausted", Block(table="on_exhausted"), "What happens when the step gone back to has none left."),
        _field("clear", _KEYS, "Values to forget on the way back."),
    ),
)

_ON_EXHAUSTED: Final = Table(
    name="on_exhausted",
    called="on_exhausted",
    about="What happens when retries are spent; without it, the story fails.",
    fields=(_field("escalate_to", _HUMAN, "Ask a person.", required=True),),
)

_ROUTE: Final = Table(
    name="route",
    called="route",
    about=f"Where a decision leads: `next_step`, `retry_step`, or the word `{CONTINUE}` for the next in order.",
    fields=(
        _field("next_step", Text(), "A later step; those between are skipped."),
        _field("retry_step", Text(), "An earlier step; it and all after it are done again."),
        _field("clear", _KEYS, "Values to forget on the way."),
        _field("pass_outputs", _KEYS, "Of other tools.", idle="everything that a step answers reaches the later ones"),
    ),
)

_POLLING: Final = Table(
    name="polling",
    called="polling",
    about="Accepted from antfarm; without effect.",
    fields=(
        _field("model", Text(), "Of antfarm."),
        _field("timeoutSeconds", _SECONDS, "Of antfarm."),
    ),
)
_CRON: Final = Table(
    name="cron",
    called="cron",
    about="Accepted from antfarm; without effect.",
    fields=(_field("interval_ms", Number(least=1, most=10**12), "Of antfarm."),),
)
_NOTIFICATIONS: Final = Table(
    name="notifications",
    called="notifications",
    about="Accepted from antfarm; without effect.",
    fields=(_field("url", Text(), "Of antfarm."),),
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
