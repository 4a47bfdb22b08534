"""Builds the notification channels that the settings name."""

from collections.abc import Mapping
from typing import Final

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.notify.apprise import AppriseNotifier, check_url
from shiftwork.adapters.notify.webhook import WebhookNotifier, WorkflowNotifier, check_secret
from shiftwork.bootstrap.work.needed_extras import ensure_notify_extra
from shiftwork.config.settings.settings import Settings
from shiftwork.domain.notices.notice import NoticePlan, Occasion
from shiftwork.errors import MissingExtraError, SettingsError, ShiftworkError
from shiftwork.ports.clock import Clock
from shiftwork.ports.notify import Notifier

_WEBHOOK: Final = "webhook"
_WORKFLOW: Final = "workflow"


def notice_plan(settings: Settings, url: str = "") -> NoticePlan:
    """The notifications of a run that starts now; `url` is the address that its workflow names."""
    channels = (*channel_names(settings), *((_WORKFLOW,) if url else ()))
    occasions = tuple(Occasion(item) for item in settings.notify.on) if channels else ()
    return NoticePlan(occasions=occasions, channels=channels, url=url)


def channel_names(settings: Settings) -> tuple[str, ...]:
    """By position and service: an address may contain a password, and names are written to the history."""
    listed = (f"{number}:{url.partition(':')[0]}" for number, url in enumerate(settings.notify.urls, start=1))
    return (*listed, *((_WEBHOOK,) if settings.notify.webhook.url else ()))


def notifiers_of_runs(settings: Settings, env: Mapping[str, str]) -> dict[str, Notifier]:
    """All channels that a run may use: those of the settings, and that of its workflow."""
    return {**build_notifiers(settings, env), _WORKFLOW: WorkflowNotifier()}


def build_notifiers(settings: Settings, env: Mapping[str, str]) -> dict[str, Notifier]:
    """The channels by name; raises MissingExtraError, and SettingsError if the webhook's secret is not set. Addresses
    are checked when first used.
    """
    notify = settings.notify
    ensure_notify_extra(notify)
    notifiers: list[Notifier] = [AppriseNotifier(url) for url in notify.urls]
    if notify.webhook.url:
        notifiers.append(WebhookNotifier(notify.webhook.url, _secret(settings, env)))
    return dict(zip(channel_names(settings), notifiers, strict=True))


def _secret(settings: Settings, env: Mapping[str, str]) -> str:
    name = settings.notify.webhook.secret_env
    if not env.get(name):
        if not name:
            raise SettingsError("notify.webhook has no secret_env", hint='secret_env = "SHIFTWORK_WEBHOOK_SECRET"')
        raise SettingsError(
            f"the webhook is signed with ${name}, which is not set",
            hint=f"export {name}=… with the secret that its receiver knows (new: whsec_$(openssl rand -base64 32))",
        )
    check_secret(env[name])
    return env[name]


def notify_problems(settings: Settings, env: Mapping[str, str]) -> list[ShiftworkError]:
    """What prevents notifications, for `doctor`; sends nothing."""
    found: list[ShiftworkError] = []
    try:
        build_notifiers(settings, env)
    except MissingExtraError as error:
        return [error]
    except ShiftworkError as error:
        found.append(error)
    for url in settings.notify.urls:
        try:
            check_url(url)
        except ShiftworkError as error:
            found.append(error)
    return found


def system_clock() -> Clock:
    return SystemClock()
