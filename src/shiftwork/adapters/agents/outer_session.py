"""The variables by which an agent marks the programs of its own session.

They are removed for the agents that Shiftwork starts, so that a new session does not count as part of the one in which
Shiftwork itself was started; and nobody can give consent where they are set. Apart from the adapters, because every
command looks at these names, and few need an adapter.
"""

from typing import Final

CLAUDE_CODE_SESSION: Final = frozenset(
    {
        "AI_AGENT",
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_MESSAGING_SOCKET",
        "CLAUDE_CODE_MESSAGING_TOKEN",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_PROJECT_DIR",
    }
)

CODEX_SESSION: Final = frozenset({"CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID", "CODEX_CI"})
