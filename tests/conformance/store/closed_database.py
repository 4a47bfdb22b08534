"""A test starts this program without write access to the database's folder: reads runs and facts, tries to add."""

import asyncio
import os
import sys
from pathlib import Path

from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.store.reader.reader import open_queries
from shiftwork.domain.core.ids import Stream
from shiftwork.errors import StoreError


def say(*words: object) -> None:
    sys.stdout.write(f"{' '.join(map(str, words))}\n")


async def main(file: Path) -> None:
    if os.access(file.parent, os.W_OK):
        sys.exit("nothing is closed to this user")
    url = f"sqlite:///{file}"
    say("runs", *(row.run for row in await open_queries(url).runs()))
    store = open_store(url)
    try:
        say("versions", *(recorded.version for recorded in await store.events.read(Stream("story/r/s"))))
        await store.inbox.post(Stream("story/r/s"), "key", {})
    finally:
        store.close()


if __name__ == "__main__":
    try:
        asyncio.run(main(Path(sys.argv[1])))
    except StoreError as error:
        say(error.message)
        say(error.hint)
