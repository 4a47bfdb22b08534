"""Settings in, ports out: the only place that knows which adapter stands behind which port.

Three doors, because looking must start fast: `reading` loads next to nothing, `looking` opens the history and git,
`working` opens everything. Beside them, one subject a file: agents, sandboxes, notifiers, prices, specs, workflows.
"""
