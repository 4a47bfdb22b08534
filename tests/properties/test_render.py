"""Rendering never expands the values that it has inserted, and every prompt is bounded."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import RunId, StepId, StoryId, Stream
from shiftwork.domain.core.refusal import Refusal, RefusalText
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.memory.notes import Memory, Note, Shelf
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.domain.story.assignment import Assignment
from shiftwork.domain.story.state import Dialogue, Landing, Refused, StoryState
from shiftwork.domain.workflow.pipeline import Pipeline, Step, StepStatus
from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.domain.workflow.workflow import AgentPlan, StepPlan
from shiftwork.prompts.lengths import PROMPT, foremost, newest, quoted, shorten, size
from shiftwork.prompts.prompt_parts import Surroundings, compose
from shiftwork.prompts.render import names, render

NAMES = ("task", "branch", "plan")
NASTY = st.text(alphabet=st.sampled_from("{}ab \t\n\\tskbranchplan_1$"), max_size=40) | st.sampled_from(
    ["{{task}}", "{{plan}}", "{{ nobody }}", "{{", "}}", "{{{{task}}}}", "\\1", "\\g<0>"]
)
PLAIN = st.text(alphabet=st.characters(blacklist_characters="{}"), max_size=20)


@given(st.lists(PLAIN | st.sampled_from(NAMES).map(lambda name: (name,)), max_size=12), st.lists(NASTY, min_size=3))
def test_a_rendered_template_is_its_texts_and_values_side_by_side(
    pieces: list[str | tuple[str]], texts: list[str]
) -> None:
    values = dict(zip(NAMES, texts, strict=False))
    template = "".join(piece if isinstance(piece, str) else f"{{{{{piece[0]}}}}}" for piece in pieces)

    assert render(template, values) == "".join(
        piece if isinstance(piece, str) else values[piece[0]] for piece in pieces
    )


@given(NASTY)
def test_a_template_without_places_is_unchanged(template: str) -> None:
    found = names(template)

    assert (render(template, {}, known=found) == template) == (not found)


@given(st.text(st.characters(blacklist_characters="[]"), max_size=2_000), st.integers(min_value=200, max_value=1_500))
def test_a_shortened_text_is_within_its_limit_and_accounts_for_every_character(text: str, limit: int) -> None:
    short = shorten(text, limit)

    assert size(short) <= limit
    if size(text) > limit:
        head, _, rest = short.partition("\n[")
        count, _, tail = rest.partition(" characters left out here]\n")
        assert text.startswith(head)
        assert text.endswith(tail)
        assert int(count.replace(",", "")) == len(text) - len(head) - len(tail)
    else:
        assert short == text


@given(st.lists(st.text(max_size=300), max_size=30), st.integers(min_value=200, max_value=2_000))
def test_lists_are_within_their_limit_and_say_how_many_are_missing(entries: list[str], limit: int) -> None:
    marked = [quoted(entry) for entry in entries]
    for text, ends in ((newest(marked, limit, "notes"), marked[-1:]), (foremost(marked, limit, "notes"), marked[:1])):
        assert size(text) <= limit
        assert ("left out" in text) or all(entry in text for entry in marked)
        assert all(size(entry) > limit // 2 or entry in text for entry in ends)


@given(st.text())
def test_every_line_of_a_quotation_is_marked(text: str) -> None:
    assert all(line.startswith(">") for line in quoted(text).split("\n"))


HUGE = st.builds(
    lambda pattern, times: str(pattern * times),
    st.sampled_from(["x", "é", "🦊", "\n", "\r", "\ud800", "a b\n", "{{task}}", "# h\n", "> q\n", "```\n"]),
    st.sampled_from([0, 1, 40, 5_000, 60_000]),
)
MANY = st.builds(lambda text, times: (text,) * times, HUGE, st.sampled_from([0, 1, 3, 15]))


def _step(number: int, kind: str, text: str) -> Step:
    done = number % 2 == 0
    return Step(
        id=StepId(f"step-{number}{text[:1_000]}"),
        plan=StepPlan(name="", type=kind, description=text),
        notes=text,
        status=StepStatus.COMPLETED if done else StepStatus.PENDING,
    )


def shelf(texts: tuple[str, ...]) -> Shelf:
    """As no rule would leave it: of any size."""
    notes = tuple(Note(at=1, by=text, text=text, title=text) for text in texts)
    return Shelf(notes=notes, older=notes, left_out=len(texts))


@st.composite
def prompts(draw: st.DrawFn) -> tuple[StoryState, Step, Surroundings]:
    kind = draw(st.sampled_from([*CATALOGUE, "of_my_own"]) | HUGE)
    steps = tuple(_step(number, kind, text) for number, text in enumerate(draw(MANY)))
    own = replace(
        made := _step(999, kind, draw(HUGE)),
        status=StepStatus.IN_PROGRESS,
        feedback=draw(HUGE),
        plan=replace(made.plan, output_keys=draw(MANY), minutes=draw(st.floats())),
    )
    asked = Story(
        id=StoryId(draw(HUGE)),
        title=draw(HUGE),
        description=draw(HUGE),
        criteria=tuple(Criterion(id=text, text=text) for text in draw(MANY)),
    )
    state = StoryState(
        assignment=Assignment(
            run=RunId("r"),
            story=asked,
            position=0,
            requirements=draw(MANY),
            branch="",
            landing=Stream(""),
            agent="",
            limits=Limits(),
            instructions=draw(HUGE),
        ),
        pipeline=Pipeline(steps=(*steps, own)),
        dialogue=Dialogue(notes=shelf(draw(MANY)), messages=draw(MANY)),
        landing=Landing(
            refused=Refused(
                cause=draw(st.sampled_from(Refusal)),
                text=RefusalText(detail=draw(HUGE), feedback=draw(HUGE)),
                files=draw(MANY),
            )
        ),
    )
    around = Surroundings(
        gates=tuple(Gate(name=text, command=text) for text in draw(MANY)),
        tools=draw(st.booleans()),
        output_folder=draw(HUGE),
        branch=draw(HUGE),
        workspace=draw(HUGE),
        project=draw(HUGE),
        feature=draw(HUGE),
        attempt=draw(st.integers()),
        memory=Memory(project=shelf(draw(MANY)), patterns=shelf(draw(MANY)), progress=shelf(draw(MANY))),
    )
    return state, own, around


@settings(max_examples=40, deadline=None)
@given(prompts())
def test_a_prompt_is_bounded_and_can_be_sent_whatever_it_is_made_of(
    made: tuple[StoryState, Step, Surroundings],
) -> None:
    prompt = compose(*made)

    assert len(prompt.encode()) < PROMPT
    assert prompt.startswith("# Your job\n")
    assert prompt.endswith("proves nothing.\n")


@pytest.mark.parametrize("own", ["", "🦊 words\n" * 50_000, "{{progress}} {{notes}} {{checks}}", "{{current_story}}"])
def test_a_prompt_with_every_part_at_its_limit_is_bounded(own: str) -> None:
    text = "🦊 words\n" * 5_000
    step = replace(
        made := _step(1, "final_review", text),
        feedback=text,
        plan=replace(made.plan, output_keys=(text,) * 8, input=own, expects=text, agent="fox"),
    )
    state = StoryState(
        assignment=Assignment(
            run=RunId("r"),
            story=Story(id=StoryId(text), title=text, description=text, criteria=(Criterion(id=text, text=text),) * 8),
            position=0,
            requirements=(text,) * 8,
            branch="",
            landing=Stream(""),
            agent="",
            limits=Limits(),
            instructions=text,
            agents=(AgentPlan(id="fox", persona=(("SOUL.md", text),)),),
        ),
        pipeline=Pipeline(steps=(*(_step(number, "coding", text) for number in range(40)), step)),
        dialogue=Dialogue(notes=shelf((text,) * 8), messages=(text,) * 8),
        landing=Landing(
            refused=Refused(cause=Refusal.CONFLICT, text=RefusalText(detail=text + "!"), files=(text,) * 8)
        ),
    )
    around = Surroundings(
        gates=(Gate(name=text, command=text),) * 8,
        output_folder=text,
        branch=text,
        workspace=text,
        project=text,
        feature=text,
        memory=Memory(project=shelf((text,) * 8), patterns=shelf((text,) * 8), progress=shelf((text,) * 8)),
    )

    assert 120_000 < len(compose(state, step, around).encode()) < PROMPT
