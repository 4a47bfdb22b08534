"""The process of a server: works turn by turn until it is asked to end, and then ends its workers in order."""

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Iterator
from typing import Final

from shiftwork.app.hosting.schedule import Hosted
from shiftwork.bootstrap.server.living import living_server
from shiftwork.bootstrap.server.open_server import Opened, claimed_file, open_server
from shiftwork.config.settings.settings import load_settings
from shiftwork.config.site import Site, environment
from shiftwork.entrypoints.host.http_settings import HttpSettings
from shiftwork.errors import EXIT_DONE, ServerBusyError, StoreError
from shiftwork.extras import is_installed
from shiftwork.records import dataclass

_TURN_SECONDS: Final = 0.5
_INSISTING_SECONDS: Final = 1.0
_ASKING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """How to serve: the port of the HTTP interface, None for no such interface; where to print lines, and what became
    of runs.
    """

    port: int | None
    say: Callable[[str], None]
    observe: Callable[[Hosted], None]


def serve(site: Site, serving: Serving) -> int:
    """Returns when a signal has asked for the end and every worker has ended. Raises ServerBusyError if the repository
    has a server, and UsageError if the port is taken.
    """
    max_runs = load_settings(site.root, environment()).serve.max_runs
    return asyncio.run(_serve(site, serving, max_runs))


async def _serve(site: Site, serving: Serving, max_runs: int) -> int:
    with claimed_file(site) as file:
        if file is None:
            raise _busy(site)
        if serving.port and is_installed("web"):
            from shiftwork.entrypoints.api.http_server import check_port  # noqa: PLC0415 - needs the extra

            check_port(serving.port)  # who names a port needs that one
        with _asked_to_end() as ending:
            opened = await open_server(site, environment(), file, max_runs, serving.observe)
            serving.say(f"serving {site.name}: at most {max_runs} runs at once; Ctrl-C ends it, and loses nothing")
            beside = asyncio.create_task(_http(site, serving, opened, ending.asked))
            try:
                await _turns(opened, serving, ending.asked)
            finally:
                stays = not ending.asked.is_set() and opened.remains() and not opened.has_checkout()
                opened.retire()
                ending.asked.set()
                if stays:
                    serving.say(f"stopping: {site.root} is no checkout any more; workers work on for the next server")
                else:
                    await _workers_end(opened, serving, ending)
                await _first_of(beside, ending.insisted)  # commands of its clients end as workers do
    serving.say("stopped: unfinished runs continue when a server starts again")
    return EXIT_DONE


async def _workers_end(opened: Opened, serving: Serving, ending: "_Ending") -> None:
    serving.say("stopping: workers are asked to end; Ctrl-C again ends them at once")
    await _first_of(opened.workers.stop(), ending.insisted)
    opened.workers.kill()
    await opened.workers.stop()


async def _turns(opened: Opened, serving: Serving, stop: asyncio.Event) -> None:
    """Works until it is asked to end, or the repository or the checkout is removed: then neither its settings nor its
    commands are what they were, and the next server has a checkout.
    """
    silent = ""
    while not stop.is_set() and opened.remains() and opened.has_checkout():
        try:
            await opened.server.turn()
            silent = ""
        except StoreError as error:
            if error.message != silent:
                serving.say(f"waiting for the database: {error.message}")
            silent = error.message
        opened.tidy()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), _TURN_SECONDS)


async def _http(site: Site, serving: Serving, opened: Opened, stop: asyncio.Event) -> None:
    """The server works without its interface too: an error there is only reported."""
    if serving.port is None:
        return
    if not is_installed("web"):
        serving.say("HTTP is off: the extra 'web' is not installed")
        return
    from shiftwork.entrypoints.host.http_api import serve_http  # noqa: PLC0415 - needs the extra

    settings = HttpSettings(port=serving.port, say=serving.say, publish=opened.publish)
    try:
        await serve_http(site, settings, stop)
    except Exception as error:  # noqa: BLE001 - see above
        serving.say(f"HTTP has stopped: {error}")
        opened.publish("")  # commands must not be led to a dead address


async def _first_of(work: Awaitable[None], event: asyncio.Event) -> None:
    tasks = (asyncio.ensure_future(work), asyncio.ensure_future(event.wait()))
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class _Ending:
    """One request often arrives as several signals; only a person repeats it, with Ctrl-C and some time later."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.insisted = asyncio.Event()
        self._clock = asyncio.get_running_loop().time
        self._first = 0.0

    def receive(self, number: int) -> None:
        if not self.asked.is_set():
            self._first = self._clock()
            self.asked.set()
        elif number == signal.SIGINT and self._clock() - self._first >= _INSISTING_SECONDS:
            self.insisted.set()


@contextlib.contextmanager
def _asked_to_end() -> Iterator[_Ending]:
    """A signal that was ignored at the start stays ignored, as `nohup` requires."""
    loop, ending = asyncio.get_running_loop(), _Ending()
    handled = [number for number in _ASKING if signal.getsignal(number) is not signal.SIG_IGN]
    for number in handled:
        loop.add_signal_handler(number, ending.receive, number)
    try:
        yield ending
    finally:
        for number in handled:
            loop.remove_signal_handler(number)


def _busy(site: Site) -> ServerBusyError:
    found = living_server(site)
    who = str(found.owner) if found else "another process"
    return ServerBusyError(
        f"{who} is the server of this repository", hint="shiftwork serve --status; shiftwork serve --stop ends it"
    )
