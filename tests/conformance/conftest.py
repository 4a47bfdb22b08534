"""Fixtures: a user with a real git repository and the harness's files beside it, and a scripted model."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shiftwork.ports.workspace import Gates, Workspaces
from shiftwork.testing.git_user import GitUser, new_user
from shiftwork.testing.model_server import ModelServer
from tests.conformance.workspace.gates.gates_rig import TIERS, Opened, opener
from tests.conformance.workspace.git.git_rig import GitRig, Scene, workspaces_of


@pytest.fixture
def user(tmp_path: Path) -> GitUser:
    return new_user(tmp_path)


@pytest.fixture
def workspaces(user: GitUser) -> Workspaces:
    return workspaces_of(user)


@pytest.fixture
def rig(tmp_path: Path) -> GitRig:
    return GitRig(tmp_path)


@pytest.fixture
def elsewhere(rig: GitRig) -> GitRig:
    """The user works on another branch, so that `main` is checked out nowhere."""
    rig.user.git("switch", "--quiet", "-c", "topic")
    return rig


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture(params=TIERS)
def opened(user: GitUser, request: pytest.FixtureRequest) -> Opened:
    return opener(user, request.param)


@pytest.fixture
def gates(opened: Opened) -> Gates:
    return opened("")
