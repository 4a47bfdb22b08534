"""Settings in, ports out: the only place that knows which adapter stands behind which port.

Two doors, because looking must start fast: `reading` loads next to nothing, `working` loads everything.
"""
