"""What a run is asked for: a sentence is a request, and what looks like a file must be one."""

from pathlib import Path

import pytest

from shiftwork.config.site import Site, find_site
from shiftwork.entrypoints.cli.work.spec_source import asked_for
from shiftwork.errors import UsageError
from tests.documented import ROOT


@pytest.fixture
def site(tmp_path: Path) -> Site:
    (tmp_path / ".git").mkdir()
    (tmp_path / "prd.json").write_text("{}", encoding="utf-8")
    return find_site(tmp_path, {})


@pytest.mark.parametrize("name", ["prd.jsn", "prd.jso", "pdr.json"])
def test_a_misspelt_file_is_refused_with_the_one_that_was_meant(site: Site, name: str) -> None:
    with pytest.raises(UsageError) as refused:
        asked_for(site, str(site.root / name))
    meant = site.root / "prd.json"
    assert refused.value.message == f"there is no file {site.root / name}; did you mean {meant}?"
    assert refused.value.hint == f"shiftwork run {meant}; if it is a request, write it as a sentence"


@pytest.mark.parametrize("name", ["no-such.txt", "no/such/folder", "no-such.markdown"])
def test_a_file_that_is_nowhere_near_is_refused_too(site: Site, name: str) -> None:
    with pytest.raises(UsageError, match=f"there is no file {name}$") as refused:
        asked_for(site, name)
    assert refused.value.hint == "shiftwork init --prd writes one; if it is a request, write it as a sentence"


@pytest.mark.parametrize("words", ["refactor", "Refactor.", "fix prd.jsn", "upgrade to 3.12", "3.12", "and/or both"])
def test_words_are_a_request(site: Site, words: str) -> None:
    assert asked_for(site, words).spec.stories[0].description == words


def test_the_plan_of_the_howto_is_one(site: Site) -> None:
    document = (ROOT / "docs" / "howto" / "write-a-spec.md").read_text(encoding="utf-8")
    path = site.root / "plan.md"
    path.write_text(document.partition("```md\n")[2].partition("```")[0], encoding="utf-8")
    spec = asked_for(site, str(path)).spec
    assert [story.id for story in spec.stories] == ["US-001", "other-time-zones"]
    assert spec.branch == "feature/clock"
