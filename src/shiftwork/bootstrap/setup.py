"""How trees are made ready: the setup command of the settings, and which interpreter it finds."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from shiftwork.adapters.workspace.environments import index_variables
from shiftwork.adapters.workspace.setup import Setup
from shiftwork.adapters.workspace.shell import Shell
from shiftwork.bootstrap.registries import setup_advice
from shiftwork.bootstrap.sandboxing import Sandboxes
from shiftwork.bootstrap.secrets import learn_secrets
from shiftwork.config.settings import Settings
from shiftwork.config.site import Site
from shiftwork.config.surroundings import visible


def build_setup(site: Site, settings: Settings, env: Mapping[str, str], sandboxes: Sandboxes) -> Setup:
    learn_secrets(settings, env)
    asked = settings.workspace
    return Setup(
        shell=Shell(env=visible(env, asked.env), sandbox=sandboxes.gates),
        command=asked.setup,
        minutes=asked.setup_minutes,
        keep=frozenset(name.strip("/") for name in asked.keep),
        interpreters=tuple(_interpreters(site, env)),
        variables=index_variables(env),
        passed={name: env[name] for name in asked.env if name in env},
        included=settings.agreed.included,
        leases=site.state_home / "leases",
        sandbox=sandboxes.setup,
        advice=setup_advice(sandboxes.setup, asked.setup, settings.agreed),
    )


def _interpreters(site: Site, env: Mapping[str, str]) -> Iterator[str]:
    """The user's own Python environment: the active one, else one in the repository that is not active."""
    given = [env[name] for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if env.get(name)]
    for folder in dict.fromkeys((*map(Path, given), site.root / ".venv", site.root / "venv")):
        if (folder / "bin" / "python").exists():
            yield str(folder / "bin")
