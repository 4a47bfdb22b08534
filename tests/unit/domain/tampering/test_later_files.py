"""Which files run on the user's machine later, which of them were requested, and what happens to the others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.domain.tampering.findings import NOTHING_TOUCHED, Inspection, LaterPolicy, Meddling
from shiftwork.domain.tampering.later_files import (
    PATTERNS,
    asked_for,
    left_out,
    names_later,
    only_later,
    runs_later,
    with_later,
)

HOOKS = "tools/Hooks"


def test_the_folder_in_which_git_looks_for_hooks_runs_later() -> None:
    own = ["tools/Hooks/commit-msg", "tools/hooks/post-checkout"]
    assert left_out([*own, "tools/hooks.py", "tools/x"], story(), HOOKS) == tuple(own)
    assert not left_out(own, story())
    assert not left_out(own[:1], story("", "tools/Hooks/**"), HOOKS)
    assert not left_out(own[:1], story("Change tools/Hooks/commit-msg."), HOOKS)


def story(description: str = "", *touches: str, planned: bool = False, criterion: str = "") -> Story:
    criteria = (Criterion(id="AC-1", text=criterion),) if criterion else ()
    return Story(
        id=StoryId("US-1"), title="t", description=description, touches=touches, planned=planned, criteria=criteria
    )


@pytest.mark.parametrize(
    "path",
    [
        *(
            ".claude/settings.json",
            ".mcp.json",
            "CLAUDE.md",
            "pkg/CLAUDE.md",
            "AGENTS.md",
            "GEMINI.md",
            ".cursor/rules",
        ),
        *(".codex/config.toml", ".github/workflows/ci.yml", ".github/copilot-instructions.md", ".gitlab-ci.yml"),
        *(".circleci/config.yml", "Jenkinsfile", "azure-pipelines.yml", ".buildkite/pipeline.yml", ".husky/pre-commit"),
        *(
            ".githooks/pre-push",
            ".pre-commit-config.yaml",
            "lefthook.yml",
            ".vscode/tasks.json",
            "web/.vscode/launch.json",
        ),
        *(".idea/workspace.xml", ".devcontainer/devcontainer.json", ".envrc", ".env", ".tool-versions", "mise.toml"),
        *("rules.mk", ".venv/bin/python", "web/node_modules/.bin/jest", "x/HEAD", ".hg/hgrc", ".gitmodules"),
        *(
            ".gitattributes",
            ".npmrc",
            ".yarnrc.yml",
            "sitecustomize.py",
            "lib/evil.pth",
            ".gdbinit",
            ".exrc",
            ".nvimrc",
        ),
        *(".Rprofile", ".irbrc", ".pryrc", ".dir-locals.el"),
    ],
)
def test_files_that_run_later_are_known(path: str) -> None:
    assert runs_later(path)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "README.md",
            "src/app.py",
            "docs/claude.txt",
            "src/hooks/use.ts",
            "hooks/use.ts",
            "components/Head/index.tsx",
        ),
        *("package.json", "Makefile", ".env.example", ".gitignore", "src/agents/base.py", "environment.yml", "bin/run"),
        *(".github/ISSUE_TEMPLATE/bug.md", "docs/.github/workflows/ci.yml", "LICENSE", "workflows/x.yml", "head.py"),
    ],
)
def test_other_files_are_not_taken_for_them(path: str) -> None:
    assert not runs_later(path)


@pytest.mark.parametrize(
    "path",
    [".CLAUDE/settings.json", "claude.MD", ".claude./x", ".mcp.json ", ".mcp.json::$DATA", ".cla\u200cude/x", "a/head"],
)
def test_no_spelling_of_a_file_system_passes_by(path: str) -> None:
    assert runs_later(path)


@given(st.sampled_from(PATTERNS), st.text("abc/", max_size=4))
def test_what_lies_below_a_folder_of_that_name_is_meant_too(pattern: str, more: str) -> None:
    name = pattern.removeprefix("/").replace("**/", "").replace("*", "x")
    assert runs_later(name)
    assert runs_later(f"{name}/{more}")


@pytest.mark.parametrize(
    ("path", "asking"),
    [
        ("CLAUDE.md", story("Shorten CLAUDE.md, please")),
        ("CLAUDE.md", story("see ./CLAUDE.md.")),
        (".github/workflows/ci.yml", story("Add a job to .github/workflows/ci.yml")),
        (".github/workflows/ci.yml", story("Cache downloads in .github/workflows")),
        (".github/workflows/ci.yml", story("", ".github/workflows/**")),
        (".mcp.json", story("", ".mcp.json")),
        (".envrc", story(criterion="`.envrc` loads the key")),
    ],
)
def test_a_file_that_the_story_names_was_asked_for(path: str, asking: Story) -> None:
    assert asked_for(path, asking)
    assert left_out((path,), asking) == ()


@pytest.mark.parametrize(
    ("path", "asking"),
    [
        ("CLAUDE.md", story("Write better docs", "**", "*.md", "docs/**")),
        ("pkg/CLAUDE.md", story("Shorten CLAUDE.md")),
        ("CLAUDE.md", story("Shorten docs/CLAUDE.md")),
        ("CLAUDE.md", story("Shorten OLD-CLAUDE.md and CLAUDE.md.bak")),
        (".claude/settings.json", story("Read .claude/commands/x.md")),
        (".github/workflows/ci.yml", story("Fix the templates in .github")),
        ("CLAUDE.md", story("Shorten CLAUDE.md", "CLAUDE.md", planned=True)),
    ],
)
def test_a_file_that_no_one_named_was_not(path: str, asking: Story) -> None:
    assert left_out(("src/app.py", path), asking) == (path,)


def test_only_patterns_that_say_so_mean_such_files() -> None:
    assert names_later(".claude/**")
    assert names_later("./web/.vscode/*.json")
    assert not any(map(names_later, ("**", "src/**", "*", "*.json", "", ".")))


PATHS = ("src/app.py", ".mcp.json")


def test_what_is_left_out_stays_as_the_base_has_it() -> None:
    found = with_later(Inspection(kept=("prd.json",)), PATHS, story(), LaterPolicy.LEAVE_OUT)
    assert (found.kept, found.left_out, found.held) == (("prd.json", ".mcp.json"), (".mcp.json",), False)
    assert found.message == "1 left out, for it would run later on your machine (.mcp.json)"
    kept = with_later(Inspection(kept=(".mcp.json",)), PATHS, story(), LaterPolicy.LEAVE_OUT)
    assert kept.kept == (".mcp.json",)


@pytest.mark.parametrize(("policy", "held"), [(LaterPolicy.ASK, True), (LaterPolicy.LAND, False)])
def test_what_is_held_or_lands_is_reported(policy: LaterPolicy, *, held: bool) -> None:
    found = with_later(NOTHING_TOUCHED, PATHS, story(), policy)
    assert (found.kept, found.left_out, found.held) == ((), (), held)
    assert [(finding.kind, finding.path) for finding in found.findings] == [(Meddling.LATER, ".mcp.json")]


def test_a_change_without_such_files_is_as_it_was() -> None:
    assert with_later(NOTHING_TOUCHED, ("src/app.py",), story(), LaterPolicy.ASK) is NOTHING_TOUCHED


def test_of_many_such_files_a_fact_carries_some_and_the_number_of_the_others() -> None:
    paths = [f".claude/{number}" for number in range(50)]
    found = with_later(NOTHING_TOUCHED, paths, story(), LaterPolicy.LEAVE_OUT)
    assert len(found.left_out) == 50
    assert sum(finding.count for finding in found.findings) == 50
    assert len(found.findings) == 21, "the last stands for the others"
    assert "and 45 more" in only_later(found.left_out)
    assert "more" not in only_later(PATHS).partition(")")[0]
