"""Coding agents behind one port; `_driver` says what an agent's file must tell, `_process` runs it.

The modules, by what they are about:
    claude_code, codex                  agents with an adapter of their own
    acp, command, scripted              any agent of a protocol; a plain command; one that plays given turns
    _driver, _process                   what an agent's file tells; what is the same for all that are programs
    _login, _logins                     what a confined session has of the user's login; by agent
    _log, _reading                      the raw stream of an attempt; what is read from it
    _claude_events, _codex_events       their events, and how a session has ended
    _acp_events, _acp_line              the same for the protocol; lines in both directions
    _acp_session, _acp_workspace        one conversation; the files that the agent asks for
"""
