"""Prepares trees: the setup command, its inputs, and the interpreter it finds."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from shiftwork.adapters.sandbox.sandbox import OPEN
from shiftwork.adapters.workspace.tree.environment import Means, index_variables
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.shell import Shell
from shiftwork.bootstrap.sandbox.registries import setup_advice
from shiftwork.bootstrap.sandbox.sandboxes import Sandboxes
from shiftwork.bootstrap.secrets import learn_secrets
from shiftwork.config.registries.credentials import Configuration, is_publishing, read_configuration
from shiftwork.config.registries.discovery import Surroundings, packages_used
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site
from shiftwork.config.surroundings import visible

_WITHOUT: Final = "it ran without your registry credentials"
_FOUND: Final = f"{_WITHOUT}, because it was only detected; set setup under [workspace], then: shiftwork trust"
_OF_A_STORY: Final = f"{_WITHOUT}, because this work changes dependency files"


def build_setup(site: Site, settings: Settings, env: Mapping[str, str], sandboxes: Sandboxes) -> Setup:
    learn_secrets(settings, env)
    asked = settings.workspace
    means, lesser = _means(site, settings, env, sandboxes)
    return Setup(
        shell=Shell(env=visible(env, asked.env), sandbox=sandboxes.gates),
        command=asked.setup,
        minutes=asked.setup_minutes,
        keep=frozenset(name.strip("/") for name in asked.keep),
        interpreters=tuple(_interpreters(site, env)),
        means=means,
        lesser=lesser,
        passed={name: env[name] for name in asked.env if name in env},
        included=settings.agreed.included,
        leases=site.state_home / "leases",
        sandbox=sandboxes.setup,
        advice=setup_advice(sandboxes.setup, asked.setup, settings.agreed),
    )


def _means(site: Site, settings: Settings, env: Mapping[str, str], sandboxes: Sandboxes) -> tuple[Means, Means]:
    """For work with the dependency files of its base, and for all other work. A setup command gets credentials only if
    the user has agreed to it, and only on the base. Without a sandbox it has the user's home anyway.
    """
    if sandboxes.setup is OPEN:
        return Means(variables=index_variables({name: env[name] for name in env if not is_publishing(name)})), Means()
    around = Surroundings(env=env, apart=(site.root, site.cache_home))
    used = packages_used(site.root, settings.workspace.setup) if settings.workspace.setup else ()
    found = read_configuration(used, (host.name for host in sandboxes.registries.hosts), around)
    if not settings.agreed.setup:
        return _bare(found, _FOUND), _bare(found, _OF_A_STORY)
    return Means(variables=found.whole.variables, files=found.whole.files), _bare(found, _OF_A_STORY)


def _bare(found: Configuration, why: str) -> Means:
    lacking = why if found.has_credentials else ""
    return Means(variables=found.bare.variables, files=found.bare.files, lacking=lacking)


def _interpreters(site: Site, env: Mapping[str, str]) -> Iterator[str]:
    """The user's own Python environment: the active environment, else an inactive environment in the repository."""
    given = [env[name] for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if env.get(name)]
    for folder in dict.fromkeys((*map(Path, given), site.root / ".venv", site.root / "venv")):
        if (folder / "bin" / "python").exists():
            yield str(folder / "bin")
