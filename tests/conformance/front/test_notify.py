"""Channels to people: webhooks that are signed, and addresses that apprise knows."""

import asyncio
import json
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.notify.apprise import AppriseNotifier, check_url
from shiftwork.adapters.notify.webhook import WebhookNotifier, WorkflowNotifier, check_secret
from shiftwork.bootstrap.work.notifications import build_notifiers, notice_plan, notify_problems
from shiftwork.config.settings.settings import Settings, load_settings
from shiftwork.config.trust.consent_claims import settings_claim
from shiftwork.domain.notices.notice import NoticePlan, Occasion
from shiftwork.errors import NotifyError, SettingsError
from shiftwork.ports.notify import Notice, Notifier
from shiftwork.testing.conformance.notify import NotifierConformance, Receiver, notice, receiving

# One of the services that apprise knows asks Python for a module that is about to leave.
pytestmark = pytest.mark.filterwarnings("ignore:.imghdr. is deprecated:DeprecationWarning")

SECRET = "whsec_c2hpZnR3b3JrLXRlc3Qtc2VjcmV0LTAxMjM0NTY3ODk="  # noqa: S105 - a test's own

SETTINGS = """\
[notify]
urls = ["json://127.0.0.1:1/x", "ntfy://secret-topic"]
on = ["needs-you", "budget"]

[notify.webhook]
url = "https://hooks.example/abc"
secret_env = "HOOK"
"""


@pytest.fixture
def now() -> float:
    return SystemClock().now()


@dataclass(frozen=True)
class Posting:
    """The channel of a workflow that names this receiver."""

    url: str

    async def send(self, about: Notice) -> None:
        await WorkflowNotifier().send(replace(about, url=self.url))


class TestWorkflow(NotifierConformance):
    @pytest.fixture
    def notifier_at(self) -> Callable[[Receiver], Notifier]:
        return lambda receiver: Posting(f"http://{receiver.address}")

    def test_it_says_which_notice_it_is_and_signs_nothing(
        self, notifier_at: Callable[[Receiver], Notifier], now: float
    ) -> None:
        with receiving() as receiver:
            asyncio.run(notifier_at(receiver).send(notice(now)))
        ((headers, _),) = receiver.requests
        names = {name.lower(): value for name, value in headers.items()}
        assert (names["webhook-id"], "webhook-signature" in names) == ("run/US-001/1", False)

    @pytest.mark.parametrize("url", ["", "file:///etc/passwd", "ftp://127.0.0.1/x"])
    def test_nothing_but_http_is_posted_to(self, now: float, url: str) -> None:
        with pytest.raises(NotifyError, match="is not an http address"):
            asyncio.run(Posting(url).send(notice(now)))


class TestWebhook(NotifierConformance):
    @pytest.fixture
    def notifier_at(self) -> Callable[[Receiver], Notifier]:
        return lambda receiver: WebhookNotifier(f"http://{receiver.address}", SECRET)

    def test_the_signature_holds_for_these_words_and_no_others(
        self, notifier_at: Callable[[Receiver], Notifier], now: float
    ) -> None:
        with receiving() as receiver:
            asyncio.run(notifier_at(receiver).send(notice(now)))
            asyncio.run(notifier_at(receiver).send(notice(now)))
        (headers, body), (again, _) = receiver.requests
        document = Webhook(SECRET).verify(body, headers)
        assert document["type"] == "shiftwork.needs-you"
        assert document["data"]["key"] == {name.lower(): value for name, value in headers.items()}["webhook-id"]
        assert {name.lower(): value for name, value in again.items()}["webhook-id"] == "run/US-001/1"
        with pytest.raises(WebhookVerificationError):
            Webhook(SECRET).verify(body.replace(b"US-001", b"US-002"), headers)
        with pytest.raises(WebhookVerificationError):
            Webhook("b3RoZXI=").verify(body, headers)

    def test_why_no_one_was_reached_is_reported_without_the_address(self, now: float) -> None:
        def message(scheme: str, address: str) -> str:
            with pytest.raises(NotifyError) as caught:
                asyncio.run(WebhookNotifier(f"{scheme}://{address}", SECRET).send(notice(now)))
            return caught.value.message

        with socket.socket() as mute:
            mute.bind(("127.0.0.1", 0))
            assert message("http", f"127.0.0.1:{mute.getsockname()[1]}/secret").endswith(": Connection refused")
        with receiving() as receiver:
            assert re.search(r": [A-Z]+(_[A-Z]+)+$", message("https", receiver.address)), "as TLS calls it"
        assert message("http", "/secret").endswith(": URLError"), "what others say may hold the address"

    def test_what_is_signed_for_one_address_is_not_carried_to_another(
        self, notifier_at: Callable[[Receiver], Notifier], now: float
    ) -> None:
        with receiving() as receiver, receiving() as elsewhere:
            receiver.status, receiver.location = 307, f"http://{elsewhere.address}"
            with pytest.raises(NotifyError, match="307"):
                asyncio.run(notifier_at(receiver).send(notice(now)))
        assert elsewhere.requests == []

    def test_a_secret_that_signs_nothing_and_an_address_that_is_none_are_mistakes_of_the_settings(self) -> None:
        check_secret(SECRET)
        for secret in ("", "whsec_"):
            with pytest.raises(SettingsError, match="secret"):
                check_secret(secret)
        with pytest.raises(SettingsError, match="http"):
            WebhookNotifier("file:///etc/passwd", SECRET)


class TestApprise(NotifierConformance):
    @pytest.fixture
    def notifier_at(self) -> Callable[[Receiver], Notifier]:
        return lambda receiver: AppriseNotifier(f"json://{receiver.address}")

    def test_an_address_that_no_service_answers_to_is_reported_without_its_secrets(self) -> None:
        check_url("json://127.0.0.1:1/x")
        with pytest.raises(SettingsError) as caught:
            check_url("nonsense://user:hidden@host")
        assert "nonsense" in caught.value.message
        assert "hidden" not in caught.value.message


def loaded(root: Path, text: str, **env: str) -> Settings:
    (root / "shiftwork.toml").write_text(text, encoding="utf-8")
    return load_settings(root, env)


def test_quiet_is_how_it_is_without_settings(tmp_path: Path) -> None:
    quiet = loaded(tmp_path, "")
    assert notice_plan(quiet) == NoticePlan()
    assert build_notifiers(quiet, {}) == {}
    assert notify_problems(quiet, {}) == []


def test_the_settings_name_channels_by_place_and_service(tmp_path: Path) -> None:
    settings = loaded(tmp_path, SETTINGS)
    plan = notice_plan(settings)
    assert plan.channels == ("1:json", "2:ntfy", "webhook")
    assert plan.occasions == (Occasion.NEEDS_YOU, Occasion.BUDGET)
    assert tuple(build_notifiers(settings, {"HOOK": SECRET})) == plan.channels


def test_addresses_may_come_from_the_environment(tmp_path: Path) -> None:
    settings = loaded(tmp_path, "", SHIFTWORK_NOTIFY_URLS="json://a ntfy://b")
    assert settings.notify.urls == ("json://a", "ntfy://b")


def test_what_stands_in_the_way_is_found_before_anything_is_sent(tmp_path: Path) -> None:
    settings = loaded(tmp_path, SETTINGS.replace("ntfy://secret-topic", "nonsense://x"))
    found = notify_problems(settings, {})
    messages = [problem.message for problem in found]
    assert found[0].hint.startswith("export HOOK=… with the secret that its receiver knows")
    assert messages[0] == "the webhook is signed with $HOOK, which is not set"
    assert "nonsense" in messages[1]
    unnamed = loaded(tmp_path, SETTINGS.replace('"HOOK"', '""'))
    assert notify_problems(unnamed, {})[0].message == "notify.webhook has no secret_env"


def test_addresses_and_the_secrets_name_are_a_matter_of_trust(tmp_path: Path) -> None:
    loaded(tmp_path, SETTINGS)
    found = [(command.where, command.text) for command in settings_claim(tmp_path).commands]
    assert found == [
        ("notify.urls", "json://127.0.0.1:1/x ntfy://secret-topic"),
        ("notify.on", "needs-you budget"),
        ("notify.webhook.url", "POST https://hooks.example/abc"),
        ("notify.webhook.secret_env", "$HOOK"),
    ]


def test_the_body_is_json_that_says_everything(now: float) -> None:
    with receiving() as receiver:
        asyncio.run(WebhookNotifier(f"http://{receiver.address}", SECRET).send(notice(now, "run/1")))
    document = json.loads(receiver.requests[0][1])
    assert set(document) == {"type", "timestamp", "data"}
    assert set(document["data"]) == {"key", "run", "story", "title", "text"}
