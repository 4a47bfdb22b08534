"""Any service that apprise supports: mail, chat, push, each named by its own address."""

import asyncio
from typing import Any

from shiftwork.errors import NotifyError, SettingsError
from shiftwork.ports.notify import Notice
from shiftwork.redaction import redacted


class AppriseNotifier:
    """See `ports.notify.Notifier`. One address per notifier, so that a retry does not repeat delivered notices."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def send(self, notice: Notice) -> None:
        if not await asyncio.to_thread(self._notify, notice):
            raise NotifyError("the service did not accept it")

    def _notify(self, notice: Notice) -> bool:
        try:
            return bool(_opened(self._url).notify(title=redacted(notice.title), body=redacted(notice.text)))
        except Exception as error:
            # A hundred services, each with its own errors; their messages may contain the address and its secrets.
            raise NotifyError(f"the service failed: {type(error).__name__}") from error


def check_url(url: str) -> None:
    """Raises SettingsError for an address of no supported service; sends nothing."""
    _opened(url)


def _opened(url: str) -> Any:
    import apprise  # noqa: PLC0415 - takes half a second, and most runs send nothing

    opened = apprise.Apprise()
    if not opened.add(url):
        scheme = url.partition(":")[0]
        raise SettingsError(
            f"notify.urls: an address that begins with {scheme!r} is not supported",
            hint="see https://github.com/caronc/apprise for how addresses are written",
        )
    return opened
