"""Settings in, ports out: the only place that knows which adapter stands behind which port.

Three doors, because looking must start fast, and beside them one subject a file:
    reading, looking, working           next to nothing is loaded; the history and git; every port
    base, setup                         the base that work starts from; how trees are made ready
    agents, secrets                     who works; what of theirs is never kept
    sandboxing, agent_network           in which sandbox agents and gates run; whom agents may call
    registries                          the package registries that sandboxes let through
    specs, workflows, workflow_claims   what is asked for; how it is done; what the user must have agreed to
    notifying, prices, left_out         who is told; what models cost; what was left out of stories
    addresses, adopting, git_consent    where databases are; state and git settings that somebody else has made
"""
