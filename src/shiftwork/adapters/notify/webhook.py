"""Webhooks: one POST of JSON per notice, signed as standardwebhooks.com describes it if there is a secret."""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from shiftwork.errors import NotifyError, SettingsError
from shiftwork.ports.notify import Notice
from shiftwork.redaction import redacted

_SECONDS: Final = 10.0


class _NoDetours(urllib.request.HTTPRedirectHandler):
    """Follows no redirects: what is signed for one address must not reach another."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class WebhookNotifier:
    """See `ports.notify.Notifier`. The receiver recognizes repeated notices by `webhook-id`."""

    def __init__(self, url: str, secret: str) -> None:
        if not url.startswith(("http://", "https://")):
            raise SettingsError("notify.webhook.url is not an http address", hint='url = "https://…" in shiftwork.toml')
        self._url = url
        self._secret = secret

    async def send(self, notice: Notice) -> None:
        await asyncio.to_thread(self._post, notice)

    def _post(self, notice: Notice) -> None:
        from standardwebhooks import Webhook  # noqa: PLC0415 - most runs send nothing

        body, at = payload(notice), datetime.fromtimestamp(int(notice.at), tz=UTC)
        signature = Webhook(self._secret).sign(notice.key, at, body.decode())
        _post(self._url, body, {**_headers(notice), "webhook-signature": signature})


class WorkflowNotifier:
    """See `ports.notify.Notifier`. Posts to the address that the run's workflow names, without a signature: there is no
    secret that both sides know.
    """

    async def send(self, notice: Notice) -> None:
        if not notice.url.startswith(("http://", "https://")):
            raise NotifyError("the workflow's notifications.url is not an http address")
        await asyncio.to_thread(_post, notice.url, payload(notice), _headers(notice))


def _headers(notice: Notice) -> dict[str, str]:
    return {
        "content-type": "application/json",
        "user-agent": "shiftwork",
        "webhook-id": notice.key,
        "webhook-timestamp": str(int(notice.at)),
    }


def _post(url: str, body: bytes, headers: Mapping[str, str]) -> None:
    # The callers have made sure that it is http or https.
    request = urllib.request.Request(url, data=body, headers=dict(headers))  # noqa: S310
    try:
        with urllib.request.build_opener(_NoDetours).open(request, timeout=_SECONDS):
            return
    except urllib.error.HTTPError as error:
        error.close()
        raise NotifyError(f"the webhook answered {error.code}") from error
    except (OSError, ValueError) as error:
        raise NotifyError(f"the webhook cannot be reached: {_cause(error)}") from error


def _cause(error: Exception) -> str:
    """Returns the message of the system or of TLS, which does not contain the address; other messages may."""
    inner = getattr(error, "reason", error)
    if not isinstance(inner, OSError):
        return type(error).__name__
    return getattr(inner, "reason", None) or inner.strerror or type(inner).__name__


def payload(notice: Notice) -> bytes:
    document = {
        "type": f"shiftwork.{notice.occasion}",
        "timestamp": datetime.fromtimestamp(notice.at, tz=UTC).isoformat(),
        "data": {
            "key": notice.key,
            "run": notice.run,
            "story": notice.story or None,
            "title": redacted(notice.title),
            "text": redacted(notice.text),
        },
    }
    return json.dumps(document).encode()


def check_secret(secret: str) -> None:
    """Raises SettingsError if the secret cannot be used for signing."""
    from standardwebhooks import Webhook  # noqa: PLC0415 - as above

    try:
        Webhook(secret)
    except Exception as error:
        raise SettingsError(
            "the webhook's secret cannot be used: it must be base64, with or without the prefix whsec_",
            hint="openssl rand -base64 32 creates a secret; receiver and sender must use the same",
        ) from error
