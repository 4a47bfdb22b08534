"""Attacks by installed packages: the network of the setup command, and the search for package registries."""

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from shiftwork.config.registries.project_registries import registry_claim
from shiftwork.config.trust.gate_consents import GateConsents
from shiftwork.domain.gates.rung import Rung
from tests.attacks.registries_rig import FETCH, User, new_user
from tests.attacks.table import Attack, Harm, Outcome, Severity, attack
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP

pytestmark = NEEDS_BUBBLEWRAP


def row(name: str, severity: Severity, harm: Harm, *, none: Outcome = Outcome.SUCCEEDED) -> Attack:
    """Without a sandbox the setup command has the user's rights, by their own choice."""
    return Attack(name=name, layer="registries", severity=severity, harm=harm, none=none)


def came_to(happened: object) -> Outcome:
    return Outcome.SUCCEEDED if happened else Outcome.PREVENTED


@pytest.fixture
def user(tmp_path: Path) -> User:
    return new_user(tmp_path)


class _Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.write(b"met")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that it has
        pass


@pytest.fixture
def service() -> Iterator[int]:
    """Something of the user's that listens on this machine alone."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@attack(row("a setup command calls a service of this machine that is no registry", Severity.HIGH, Harm.SECRETS))
def test_service_of_the_machine(tier: str, user: User, service: int) -> Outcome:
    registry = {"PIP_INDEX_URL": f"http://localhost:{service}/simple"}
    (user.root / "pyproject.toml").touch()
    agreed = user.sets_up(tier, FETCH, CALLED=f"http://localhost:{service}/", **registry)
    assert agreed.output == "met", "a registry of the user's on this machine"
    return came_to(user.sets_up(tier, FETCH, CALLED=f"http://localhost:{service}/").output == "met")


@attack(
    row(
        "a program of the repository is asked for registries", Severity.CRITICAL, Harm.EXECUTION, none=Outcome.PREVENTED
    )
)
def test_programs_of_the_repository(tier: str, user: User, tmp_path: Path) -> Outcome:
    """The user has its folder on their search path, and the tool of theirs runs by a name that is searched for."""
    inside = user.root / "node_modules" / ".bin"
    inside.mkdir(parents=True)
    for name in ("npm", "pnpm", "yarn", "go", "gem", "node"):
        (inside / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/canary\n")
        (inside / name).chmod(0o755)
    (tmp_path / "tools" / "npm").write_text("#!/usr/bin/env node\n")
    (tmp_path / "tools" / "npm").chmod(0o755)
    for name in ("package.json", "go.mod", "Gemfile", "pnpm-lock.yaml", "yarn.lock"):
        (user.root / name).write_text("{}")
    path = f"{inside}:{user.environment(tier)['PATH']}"
    user.sets_up(tier, "true", PATH=path)
    return came_to((tmp_path / "canary").exists())


@attack(row("consent to the network of one setup command is used by another", Severity.HIGH, Harm.CONSENT))
def test_consent_of_another_setup(tier: str, user: User, service: int) -> Outcome:
    env = user.environment(tier)
    GateConsents(user.root, env).give("npm ci", Rung.HOST)
    return came_to(user.sets_up(tier, FETCH, CALLED=f"http://127.0.0.1:{service}/").output == "met")


# What the repository itself names. The service is a proxy of the user's own, and answers for every host.


def called(tier: str, user: User, service: int, name: str) -> Outcome:
    proxy = f"http://127.0.0.1:{service}"
    return came_to(user.sets_up(tier, FETCH, CALLED=f"http://{name}/", http_proxy=proxy).output == "met")


@attack(
    row("a repository that nobody has trusted names a registry, and is let through to it", Severity.HIGH, Harm.SECRETS)
)
def test_registry_of_a_stranger(tier: str, user: User, service: int) -> Outcome:
    (user.root / ".npmrc").write_text("registry=http://packages.invalid/\n")
    return called(tier, user, service, "packages.invalid")


@attack(row("a story changes the registries that the user has agreed to", Severity.HIGH, Harm.CONSENT))
def test_registry_that_was_exchanged(tier: str, user: User, service: int) -> Outcome:
    (user.root / ".npmrc").write_text("registry=http://packages.invalid/\n")
    user.trusts(registry_claim(user.root), tier)
    assert called(tier, user, service, "packages.invalid") is Outcome.SUCCEEDED, "they have agreed to it"
    (user.root / ".npmrc").write_text("registry=http://others.invalid/\n")
    return called(tier, user, service, "others.invalid")
