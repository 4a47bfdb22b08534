"""Archived runs as files, and their facts for those who read the history."""

import gzip
import os
from collections.abc import Iterator, Sequence
from json import dumps
from pathlib import Path
from typing import Any

from shiftwork.adapters.store.reader.archive_file import FORMAT, lines, name_of, reading, row_from
from shiftwork.adapters.store.sql.view_columns import VIEWS, values
from shiftwork.domain.codec import decode, encode
from shiftwork.domain.core.ids import Stream
from shiftwork.errors import StoreError
from shiftwork.ports.store import Archive, Archives, History, Kinds, Recorded, of_kinds
from shiftwork.ports.views import Row, SnapshotRow


class FileArchives:
    """See `ports.store.Archives`. The folder is created with the first archive; only its owner can read it."""

    def __init__(self, folder: Path | str) -> None:
        self._folder = Path(folder)

    def save(self, archive: Archive) -> str:
        name = name_of(archive.run)
        partial = self._folder / f"{name}.partial"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            partial.unlink(missing_ok=True)
            with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
                # Without a time: the same archive is the same file.
                with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                    packed.writelines(f"{line}\n".encode() for line in _lines(archive))
                file.flush()
                os.fsync(file.fileno())
            if _loaded(partial, archive.run) != archive:
                raise StoreError(f"the archive {partial} does not hold what was written", hint="check the disk")
            partial.replace(self._folder / name)
            _flush(self._folder)
        except OSError as error:
            raise StoreError(
                f"the archive {self._folder / name} cannot be written: {error}",
                hint=f"check that the disk has free space and that {self._folder} is a folder",
            ) from error
        return name

    def load(self, run: str) -> Archive | None:
        file = self._folder / name_of(run)
        return _loaded(file, run) if file.exists() else None


def _flush(folder: Path) -> None:
    """Makes the names of the files durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _lines(archive: Archive) -> Iterator[str]:
    count = len(archive.recorded) + len(archive.rows)
    yield dumps({"format": FORMAT, "run": archive.run, "lines": count})
    yield from (dumps(_fact_line(recorded), separators=(",", ":")) for recorded in archive.recorded)
    for row in archive.rows:
        yield dumps({"row": VIEWS[type(row)].table, "values": values(row)}, separators=(",", ":"))


def _fact_line(recorded: Recorded) -> dict[str, Any]:
    encoded = encode(recorded.fact)
    named = {"stream": recorded.stream, "version": recorded.version, "key": recorded.key}
    return {**named, "kind": encoded.kind, "schema": encoded.version, "body": encoded.body}


def _loaded(file: Path, run: str) -> Archive:
    recorded, rows = list[Recorded](), list[Row]()
    with reading(str(file)):
        for line in lines(str(file), run):
            if "row" in line:
                rows.append(row_from(line))
                continue
            named = {"version": line["version"], "key": line["key"]}
            fact = decode(line["kind"], line["schema"], line["body"])
            recorded.append(Recorded(stream=Stream(line["stream"]), fact=fact, **named))
    return Archive(run=run, recorded=tuple(recorded), rows=tuple(rows))


class ArchivedHistory:
    """The streams of a database, and those of archived runs, of which the last one read is kept. See
    `ports.store.History`.
    """

    def __init__(self, history: History, archives: Archives) -> None:
        self._history = history
        self._archives = archives
        self._last = ("", dict[str, list[Recorded]]())

    async def read(
        self, stream: Stream, *, after: int = 0, upto: int | None = None, kinds: Kinds = (), naming: str = ""
    ) -> Sequence[Recorded]:
        found = await self._history.read(stream, after=after, upto=upto, kinds=kinds, naming=naming)
        return found or of_kinds(self._archived(stream)[after:upto], kinds, naming)

    async def version(self, stream: Stream) -> int:
        return await self._history.version(stream) or len(self._archived(stream))

    async def snapshot(self, stream: Stream) -> SnapshotRow | None:
        return await self._history.snapshot(stream)

    def _archived(self, stream: Stream) -> list[Recorded]:
        kind, _, rest = stream.partition("/")
        if kind not in {"run", "story"}:
            return []
        run = rest.partition("/")[0]
        if self._last[0] != run:
            archive = self._archives.load(run)
            if archive is None:
                return []
            streams: dict[str, list[Recorded]] = {}
            for recorded in archive.recorded:
                streams.setdefault(recorded.stream, []).append(recorded)
            self._last = (run, streams)
        return self._last[1].get(stream, [])
