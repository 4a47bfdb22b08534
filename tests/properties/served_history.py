"""The API of a project with one history at a time, asked in process: the whole application, without a socket."""

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Message

from shiftwork.adapters.store.sql.dialect import sqlite_file
from shiftwork.adapters.store.sql.view_columns import VIEWS, identity
from shiftwork.config.access.tokens import Role
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream
from shiftwork.entrypoints.api.access.request_guard import PREFIX
from shiftwork.entrypoints.api.application import create_app
from shiftwork.entrypoints.api.http_server import access
from shiftwork.ports.views import Row
from tests.api.api_rig import HOST, PORT, Stage, staged


@dataclass
class ServedHistory:
    """`loop` runs the application, which is the same for all histories."""

    stage: Stage
    app: ASGIApp
    loop: asyncio.Runner
    versions: dict[Stream, int] = field(default_factory=dict)

    def empty(self) -> None:
        """Nothing has been run yet."""
        self.versions.clear()
        file = sqlite_file(self.stage.site.store_url)
        assert file
        with contextlib.closing(sqlite3.connect(file)) as database, database:
            for table in ("facts", "leases", *(view.table for view in VIEWS.values())):
                database.execute(f"DELETE FROM {table}")  # noqa: S608 - only names from the source code

    async def append(self, added: list[tuple[Stream, Fact, tuple[Row, ...]]]) -> None:
        """Facts with the rows that their writers wrote, but several at once."""
        for stream, group in groupby(added, key=itemgetter(0)):
            several, version = list(group), self.versions.get(stream, 0)
            rows = {(type(row), identity(row)): row for _, _, each in several for row in each}
            facts = [fact for _, fact, _ in several]
            self.versions[stream] = await self.stage.store.events.append(
                stream, facts, expected=version, key=f"k{version}", rows=tuple(rows.values())
            )

    async def read(self, path: str) -> Any:
        """The document at a path; any other text as it is."""
        path, _, query = path.partition("?")
        headers = {"host": HOST, **self.stage.bearer(Role.VIEWER)}
        scope = {
            "type": "http",
            "method": "GET",
            "path": f"{PREFIX}{path}",
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b""}

        async def send(message: Message) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        text = b"".join(message.get("body", b"") for message in sent).decode()
        assert sent[0]["status"] == 200, text
        is_json = dict(sent[0]["headers"])[b"content-type"] == b"application/json"
        return json.loads(text) if is_json else text


@contextlib.contextmanager
def served_history(folder: Path) -> Iterator[ServedHistory]:
    with staged(folder) as stage, asyncio.Runner() as loop:
        app, _ = create_app(stage.site, stage.env, access(stage.site, PORT))
        yield ServedHistory(stage=stage, app=app, loop=loop)
