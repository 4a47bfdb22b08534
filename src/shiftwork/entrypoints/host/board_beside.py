"""The web board in a thread, beside what this process does: the demo is watched on it."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import Future

from shiftwork.bootstrap.state.open_inbox import open_inbox
from shiftwork.bootstrap.state.read_only import now
from shiftwork.config.access.login_codes import codes_at
from shiftwork.config.access.tokens import Role, Tokens
from shiftwork.config.site import Site, environment, open_state
from shiftwork.entrypoints.api.http_server import serve_project
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardBeside:
    """A board that shows and changes nothing: `link` opens it once, until `expires_at`."""

    address: str
    link: str
    expires_at: float
    site: Site

    @property
    def is_open(self) -> bool:
        """Whether a browser has used the link."""
        return not codes_at(self.site.state, self.address).is_unused(self.link.partition("#code=")[2])


@contextlib.contextmanager
def board_beside(site: Site) -> Iterator[BoardBeside]:
    """Serves the board of the project until the end of the block, on any free port."""
    open_state(site)
    asyncio.run(open_inbox(site))  # creates the database that the board reads
    address: Future[str] = Future()
    loop, stop = asyncio.new_event_loop(), asyncio.Event()

    def serve() -> None:
        try:
            loop.run_until_complete(serve_project(site, environment(), 0, address.set_result, stop))
        except BaseException as error:
            if address.done():
                raise
            address.set_exception(error)
        finally:
            loop.close()

    thread = threading.Thread(target=serve, name="board")
    thread.start()
    try:
        at, reached = now(), address.result()
        viewer, _ = Tokens(site.state).create(Role.VIEWER, "demo", at)
        code, until = codes_at(site.state, reached).create(viewer, at)
        yield BoardBeside(address=reached, link=f"{reached}/runs?demo=1#code={code}", expires_at=until, site=site)
    finally:
        with contextlib.suppress(RuntimeError):  # it has ended already
            loop.call_soon_threadsafe(stop.set)
        thread.join()
