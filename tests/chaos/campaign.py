"""Run after run on one kind of database, until enough has been killed or the time is up."""

import contextlib
import itertools
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import psycopg

from shiftwork.testing.postgres_cluster import PrivateServer, private_server
from tests.chaos.project import make_project
from tests.chaos.trial import KINDS, Outcome, Trial

MOST_KILLS_A_RUN: Final = 16

type Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """An empty one; an empty address stands for SQLite, which has no server."""

    url: str = ""
    server: PrivateServer | None = None


type Databases = Callable[[], AbstractContextManager[Database]]


@dataclass(kw_only=True)
class Campaign:
    """What came of all runs on one kind of database."""

    backend: str
    seed: int
    runs: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    starts: int = 0
    landings: int = 0
    commits: int = 0
    violations: list[str] = field(default_factory=list)

    def add(self, seed: str, outcome: Outcome) -> None:
        self.runs += 1
        self.kills += outcome.kills
        self.starts += outcome.starts
        self.landings += outcome.landings
        self.commits += outcome.commits
        self.violations += [f"{seed}: {violation}" for violation in outcome.violations]


def fight(campaign: Campaign, databases: Databases, kills: int, say: Say, deadline: float) -> None:
    for number in itertools.count(1):
        left = kills - campaign.kills.total()
        if left <= 0 or time.monotonic() > deadline:
            return
        name = f"{campaign.seed}/{campaign.backend}/{number}"
        began = time.monotonic()
        folder = Path(tempfile.mkdtemp(prefix="shiftwork-chaos-"))
        with databases() as database:
            project = make_project(folder / "own", database.url)
            outcome = Trial(project, name, min(left, MOST_KILLS_A_RUN), database.server).play()
        if outcome.violations:
            say(f"  kept: {folder}")
        else:
            shutil.rmtree(folder)
        campaign.add(name, outcome)
        summary = f"{outcome.kills.total():3} kills, {outcome.landings} landings, {len(outcome.violations)} violations"
        say(f"{name:24} {summary}, {time.monotonic() - began:.0f} s")
        for violation in outcome.violations:
            say(f"  violation: {violation}")


@contextlib.contextmanager
def sqlite() -> Iterator[Databases]:
    yield lambda: contextlib.nullcontext(Database())


@contextlib.contextmanager
def postgres() -> Iterator[Databases]:
    with private_server() as server:
        yield _databases_in(server)


def _databases_in(server: PrivateServer) -> Databases:
    numbers = itertools.count(1)

    @contextlib.contextmanager
    def empty() -> Iterator[Database]:
        name = f"chaos_{os.getpid()}_{next(numbers)}"
        with psycopg.connect(server.address, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        yield Database(url=f"{server.address.rpartition('/')[0]}/{name}", server=server)
        with psycopg.connect(server.address, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

    return empty


BACKENDS: Final = {"sqlite": sqlite, "postgres": postgres}


def table(campaigns: list[Campaign]) -> list[str]:
    head = ("backend", "runs", *KINDS, "kills", "starts", "landings", "commits", "violations")
    rows = [
        (
            *(campaign.backend, campaign.runs, *(campaign.kills[kind] for kind in KINDS), campaign.kills.total()),
            *(campaign.starts, campaign.landings, campaign.commits, len(campaign.violations)),
        )
        for campaign in campaigns
    ]
    widths = [max(len(str(row[column])) for row in (head, *rows)) for column in range(len(head))]
    return ["  ".join(str(cell).rjust(width) for cell, width in zip(row, widths, strict=True)) for row in (head, *rows)]
