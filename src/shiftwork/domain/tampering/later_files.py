"""Which files run on the user's own machine later or instruct the user's own tools: instructions and settings of
agents, hooks, editor settings, files that shells and package managers load, CI definitions.

They are recognised by path, in any spelling that a file system treats as the same, and in any folder if their tool
reads them in any folder. Gates do not check them: their effect shows when a person opens the project.
"""

import re
from collections.abc import Sequence
from typing import Final

from shiftwork.domain.spec.spec import Story
from shiftwork.domain.tampering.findings import Finding, Inspection, LaterPolicy, Meddling
from shiftwork.domain.tampering.inspect import bound_findings
from shiftwork.domain.text.globs import matches
from shiftwork.records import replace
from shiftwork.regexes import regex

_AGENTS: Final = (
    *(".claude", ".claude.json", "claude.md", "claude.local.md", "agents.md", "agents.override.md", ".agents"),
    *(".mcp.json", "mcp.json", ".codex", "gemini.md", ".gemini", ".cursor", ".cursorrules", ".cursorignore"),
    *(".windsurf", ".windsurfrules", ".clinerules", ".cline", ".roo", ".roomodes", ".roorules", ".kilocode", ".kiro"),
    *(".aider*", ".continue", ".continuerules", ".goosehints", ".goose", ".opencode", "opencode.json*", ".amp"),
    *(".junie", ".trae", ".qwen", "qwen.md", ".augment", ".augment-guidelines", ".devin", ".openhands", ".rules"),
    *("/.github/copilot-instructions.md", "/.github/instructions", "/.github/prompts", "/.github/chatmodes"),
    *("/.github/agents", "/.github/hooks", "/.github/skills"),
)
_CI: Final = (
    *("/.github/workflows", "/.github/actions", "/.gitlab-ci.yml", "/.gitlab", "/.circleci", "jenkinsfile"),
    *("jenkinsfile.*", "azure-pipelines*.y*ml", "/.azure-pipelines", "/.azuredevops", "/.buildkite", "/.travis.yml"),
    *("/appveyor.yml", "/.appveyor.yml", "/bitbucket-pipelines.yml", "/.drone.y*ml", "/.drone.star", "/.woodpecker*"),
    *("/.cirrus.yml", "/.cirrus.star", "/.semaphore", "/.teamcity", "/.forgejo", "/.gitea", "/codefresh.yml"),
    *("/buildspec*.y*ml", "/cloudbuild*.y*ml", "/.builds", "/.build.yml", "/netlify.toml", "/.concourse"),
)
_HOOKS: Final = (
    *(".husky", ".huskyrc*", ".githooks", ".git-hooks", "githooks", ".pre-commit-config.y*ml"),
    *(
        ".pre-commit-hooks.y*ml",
        "lefthook.*",
        ".lefthook*",
        "lefthook-local.*",
        ".lintstagedrc*",
        "lint-staged.config.*",
    ),
    *(".overcommit.yml", ".simple-git-hooks.*", "simple-git-hooks.*", ".commitlintrc*", "commitlint.config.*"),
)
_GIT: Final = (".gitmodules", ".gitattributes", ".gitconfig", ".hg", ".hgrc", ".svn", ".jj", ".lfsconfig")
_EDITORS: Final = (
    *(".vscode", "*.code-workspace", ".idea", "*.iml", ".run", ".fleet", ".zed", ".devcontainer", ".devcontainer.json"),
    *(".sublime-project", "*.sublime-project", ".exrc", ".vimrc", ".nvimrc", ".nvim.lua", ".vim", ".lvimrc"),
    *(".local.vimrc", ".dir-locals.el", ".dir-locals-2.el", ".projectile", ".gitpod.yml", ".gitpod.dockerfile"),
    *(".replit", "replit.nix", ".theia", ".helix", ".kakrc", ".nova", ".vs", ".ycm_extra_conf.py"),
)
_SHELLS: Final = (
    *(".envrc", ".env", ".env.local", ".autoenv*", ".tool-versions", "mise.toml", ".mise.toml"),
    *("mise.local.toml", ".mise", ".mise.*.toml", ".rtx.toml", "**/.config/mise", "**/.config/mise.toml", ".asdfrc"),
    *(".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".zprofile", ".inputrc", ".tmux.conf"),
    *(".tmuxinator.yml", ".screenrc", "devenv.nix", "devenv.yaml", "devbox.json", ".flox", ".shadowenv.d"),
)
_LANGUAGES: Final = (
    *("sitecustomize.py", "usercustomize.py", "*.pth", "*.egg-link", ".pythonrc", ".pythonstartup", ".pdbrc"),
    *(".pdbrc.py", ".ipython", ".jupyter", "pip.conf", "pip.ini", ".pypirc", "pyvenv.cfg", "/.pydistutils.cfg"),
    *(
        ".npmrc",
        ".yarnrc*",
        ".pnpmfile.*",
        ".pnp.*",
        "**/.yarn/releases",
        "**/.yarn/plugins",
        ".bunfig.toml",
        ".node_repl*",
    ),
    *("**/node_modules/.bin", "**/.venv/bin", "**/venv/bin", "**/.venv/scripts", "**/venv/scripts"),
    *(".gdbinit", ".lldbinit", ".rprofile", ".renviron", ".rprofile.site", ".irbrc", ".pryrc", ".rdbgrc"),
    *(".byebugrc", ".gemrc", ".bundle", ".iex.exs", ".ghci", ".ocamlinit", ".sbtopts", ".jvmopts", ".mvn"),
    *("**/gradle/init.d", ".sbtrc", ".ammonite", ".cargo", ".psqlrc", ".sqliterc", ".my.cnf"),
    *(".julia", "startup.jl", ".perldb", ".user.ini"),
    *(".netrc", ".curlrc", ".wgetrc", ".ssh", ".gnupg"),
)
_MAKE: Final = ("*.mk", "*.mak", "*.make", ".justfile.local", "local.just")
"""Files that a Makefile includes. The Makefile itself counts as gate configuration."""

PATTERNS: Final = (*_AGENTS, *_CI, *_HOOKS, *_GIT, *_EDITORS, *_SHELLS, *_LANGUAGES, *_MAKE)
"""Lower case. A pattern matches a file of that name, or a folder of that name with everything below it."""

_NAMED: Final = 5

_IGNORED: Final = regex("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
"""Characters that macOS ignores in a name."""


_REPOSITORY: Final = "head"
"""A folder with `HEAD`, `objects` and `refs` is a git repository with its own settings, wherever it is; without `HEAD`
it is not.
"""


def runs_later(path: str, hooks: str = "") -> bool:
    """`hooks` is the folder in which the git of this clone looks for hooks; empty if it is no folder of the tree."""
    folded = _folded(path)
    is_hook = bool(hooks) and f"{folded}/".startswith(f"{_folded(hooks)}/")
    return is_hook or matches(PATTERNS, folded) or folded.rpartition("/")[2] == _REPOSITORY


def left_out(paths: Sequence[str], story: Story, hooks: str = "") -> tuple[str, ...]:
    """The changed paths that run later and that the story does not ask for."""
    return tuple(path for path in paths if runs_later(path, hooks) and not asked_for(path, story, hooks))


def asked_for(path: str, story: Story, hooks: str = "") -> bool:
    """Whether a person asked for this very file: `touches` names it, or the story's text names it or a folder above it
    that is itself one of these (`.github/workflows`). A story that an agent planned asks for nothing.
    """
    if story.planned:
        return False
    said = said_by(story)
    return any(matches((name,), path) for name in story.allowed if names_later(name, hooks)) or any(
        is_named_in(said, place) for place in (path, *_folders(path, hooks))
    )


def with_later(
    found: Inspection, paths: Sequence[str], story: Story, policy: LaterPolicy, hooks: str = ""
) -> Inspection:
    """The inspection of a change, completed with what happens to its files that run later."""
    later = left_out(paths, story, hooks)
    if not later:
        return found
    leaves = policy is LaterPolicy.LEAVE_OUT
    kind = Meddling.LEFT_OUT if leaves else Meddling.LATER
    findings = bound_findings([Finding(kind=kind, path=path) for path in later])
    return replace(
        found,
        findings=(*found.findings, *findings),
        kept=(*found.kept, *(path for path in later if path not in found.kept)) if leaves else found.kept,
        left_out=later if leaves else (),
        held=found.held or policy is LaterPolicy.ASK,
    )


def only_later(paths: Sequence[str]) -> str:
    """Why a story that changed nothing else does not land."""
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return (
        f"Every file that the story changed would run on your machine later ({', '.join(paths[:_NAMED])}{more}), and "
        "the story does not ask for these files. Name them under `touches` of the story, or set `later_files` under "
        '[landing] to "ask" or "land".'
    )


def names_later(pattern: str, hooks: str = "") -> bool:
    """Whether a pattern names such files literally: `.claude/**` does, `**` does not."""
    sample = re.sub(r"\*\*/", "", pattern.removeprefix("./").strip("/"))
    return runs_later(re.sub(r"\*+|\?", "x", sample), hooks)


def _folders(path: str, hooks: str) -> tuple[str, ...]:
    parts = path.split("/")[:-1]
    above = ("/".join(parts[:place]) for place in range(1, len(parts) + 1))
    return tuple(name for name in above if runs_later(name, hooks))


def said_by(story: Story) -> str:
    """The story's own words."""
    return "\n".join((story.title, story.description, *(criterion.text for criterion in story.criteria)))


def is_named_in(text: str, path: str) -> bool:
    """As a separate word, not as a part of another path."""
    return re.search(rf"(?<![\w./-])(?:\./)?{re.escape(path)}(?![\w-]|[./][\w*])", text) is not None


def _folded(path: str) -> str:
    """As a file system reads it that ignores case and the trailing characters of a name."""
    parts = (_IGNORED.sub("", part).partition(":")[0].rstrip(". ").casefold() for part in path.split("/"))
    return "/".join(parts)
