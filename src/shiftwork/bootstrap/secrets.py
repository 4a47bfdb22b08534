"""Registers the secrets that must not be stored or shown."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from shiftwork import redaction
from shiftwork.config.secrets import of_environment, of_home
from shiftwork.config.settings.settings import Settings
from shiftwork.redaction import tokens_in


def learn_secrets(settings: Settings, env: Mapping[str, str]) -> None:
    """Call this before starting anything whose output is stored."""
    redaction.learn(of_environment(env))
    redaction.learn(_of_settings(settings, env))
    if env.get("HOME", "").startswith("/"):
        redaction.learn(of_home(Path(env["HOME"])))


def _of_settings(settings: Settings, env: Mapping[str, str]) -> Iterator[str]:
    """Addresses and secrets of notification channels, the database password, and tokens in commands."""
    notify = settings.notify
    for url in (*notify.urls, notify.webhook.url):
        yield url.partition("://")[2]
        yield from url.partition("://")[2].split("/")[1:]
        yield from tokens_in(url)
    yield env.get(notify.webhook.secret_env, "")
    yield from tokens_in(settings.store.url)
    agents = (settings.agent, *settings.profiles.values())
    for command in (*(agent.command for agent in agents), *(gate.command for gate in settings.gate_list)):
        yield from tokens_in(command)
