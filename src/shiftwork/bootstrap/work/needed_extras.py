"""Which extras of the package the settings need; checked before anything is started."""

from shiftwork.bootstrap.sandbox.agent_network import agent_tables
from shiftwork.config.settings.sections import AgentSettings, NotifySettings
from shiftwork.config.settings.settings import Settings
from shiftwork.extras import ensure_installed


def ensure_extras(settings: Settings) -> None:
    """Raises MissingExtraError if an agent or a channel needs an extra that is not installed. The database is checked
    where its address is read.
    """
    for _, table, agent in agent_tables(settings):
        ensure_agent_extra(agent, table)
    ensure_notify_extra(settings.notify)


def ensure_agent_extra(agent: AgentSettings, table: str) -> None:
    if agent.kind.extra:
        ensure_installed(agent.kind.extra, f'[{table}] has use = "{agent.use}"')


def ensure_notify_extra(notify: NotifySettings) -> None:
    if notify.urls or notify.webhook.url:
        named = "urls" if notify.urls else "a webhook"
        ensure_installed("notify", f"[notify] names {named}")
