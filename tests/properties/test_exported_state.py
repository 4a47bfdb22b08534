"""The export of any run can be imported: the same stories, and the same of them are done."""

import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.adapters.specs._draft import mistakes_of
from shiftwork.adapters.specs.open import FORMATS
from shiftwork.app.views.export import export
from shiftwork.app.views.history import Account, StoryAccount
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.domain.spec.spec import Spec
from shiftwork.domain.story.state import StoryState
from shiftwork.records import replace
from shiftwork.testing.builders import fold_run, run_plan
from tests.unit.planning.test_prd_writer import plans


@given(plans(), st.data())
@settings(deadline=None, max_examples=100)
def test_an_exported_run_is_imported_with_the_same_stories(spec: Spec, data: st.DataObject) -> None:
    names = [story.id for story in spec.stories]
    done = data.draw(st.sets(st.sampled_from(names)))
    gone = data.draw(st.sets(st.sampled_from(names))) - done
    plan = replace(run_plan(source="prd-json:tasks/prd.json"), spec=spec)
    facts = (
        run_facts.RunStarted(at=1, plan=plan),
        *(run_facts.StoryAdopted(at=1, story=name) for name in names if name in done),
        *(run_facts.StoryCancellationRequested(at=2, story=name) for name in names if name in gone),
    )
    run = fold_run(RunState(), *facts)
    stories = tuple(StoryAccount(asked=story, state=StoryState(), turns=()) for story in spec.stories)
    document = export(Account(run=run, stories=stories), Path("/project"))
    assert document["prd_file"] == "tasks/prd.json"

    draft = FORMATS["workflow-state"].read(Path("nowhere/state.json"), json.dumps(document), "state.json")
    assert mistakes_of(draft) == ()
    wanted = tuple(
        replace(story, depends_on=tuple(needed for needed in story.depends_on if needed not in gone))
        for story in spec.stories
        if story.id not in gone
    )
    assert tuple(found.story for found in draft.stories) == wanted
    assert {found.story.id for found in draft.stories if found.done} == done
    assert (draft.title, draft.branch, draft.requirements) == (spec.title, spec.branch, spec.requirements)
