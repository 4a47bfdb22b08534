"""Steps are found by their ids."""

import pytest

from shiftwork.domain.core.ids import step_id
from shiftwork.domain.workflow.pipeline import pipeline_of
from shiftwork.testing.builders import planned


def test_a_step_that_must_be_there_is_given_or_its_absence_is_an_error() -> None:
    pipeline = pipeline_of((planned("coding"), planned("review")))
    assert pipeline.step(step_id(2)).plan.name == "review"
    with pytest.raises(LookupError, match="no step step-003"):
        pipeline.step(step_id(3))
