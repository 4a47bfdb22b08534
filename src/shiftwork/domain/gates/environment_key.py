"""What identifies an environment: the files that decide what the setup command installs, and the platform."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Final

from shiftwork.domain.gates.commands import named
from shiftwork.domain.text.globs import matches

MANIFESTS: Final = (
    *("pyproject.toml", "setup.py", "setup.cfg", "MANIFEST.in", "uv.lock", "uv.toml", "poetry.lock", "poetry.toml"),
    *("pdm.lock", "pdm.toml", "pylock*.toml", "Pipfile", "Pipfile.lock", "requirements*.txt", "requirements*.in"),
    *(
        "**/requirements/*.txt",
        "**/requirements/*.in",
        "constraints*.txt",
        "tox.ini",
        "tox.toml",
        "noxfile.py",
        ".python-version",
    ),
    *("environment*.yml", "environment*.yaml", "conda-lock.yml", ".tool-versions", "mise.toml", ".mise.toml"),
    *("package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"),
    *("yarn.lock", ".yarnrc", ".yarnrc.yml", "bun.lock", "bun.lockb", "bunfig.toml", ".npmrc", ".nvmrc", ".pnpmfile.*"),
    *(".node-version", "lerna.json", "**/.yarn/plugins/**", "**/.yarn/releases/**", "**/.yarn/patches/**"),
    *("**/patches/*.patch", "Cargo.toml", "Cargo.lock", "rust-toolchain", "rust-toolchain.toml", "go.mod", "go.sum"),
    *(
        "go.work",
        "go.work.sum",
        "pom.xml",
        "build.gradle*",
        "settings.gradle*",
        "gradle.lockfile",
        "libs.versions.toml",
    ),
    *("Gemfile", "Gemfile.lock", "*.gemspec", ".ruby-version", "mix.exs", "mix.lock", "composer.json", "composer.lock"),
    *(".pre-commit-config.yaml",),
)
"""Manifests and lock files, by the names that package managers use."""


def is_manifest(path: str) -> bool:
    return matches(MANIFESTS, path)


def decides_environment(path: str, setup: str) -> bool:
    """Whether the file decides what the setup command installs: by its name, or because the command runs it."""
    said = named((setup,))
    return is_manifest(path) or path in said.run | said.otherwise


def environment_key(setup: str, files: Iterable[tuple[str, str]], surroundings: Mapping[str, str]) -> str:
    """Equal for the same command, the same `files` (path and content hash) and the same surroundings: interpreter,
    platform, package index.
    """
    message = json.dumps([setup, sorted(files), sorted(surroundings.items())])
    return hashlib.sha256(message.encode(errors="surrogateescape")).hexdigest()[:24]
