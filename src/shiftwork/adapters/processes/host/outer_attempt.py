"""Whether this process was started by a program that Shiftwork supervises: an agent, a gate or a setup command."""

import os

from shiftwork.adapters.processes.host.host import Host, is_tag, lineage
from shiftwork.adapters.processes.host.this_host import this_host


def in_an_attempt(host: Host | None = None) -> bool:
    """Whether this process has the tag of such a program, or it or an ancestor that we may read has its marker.

    A process that clears its environment keeps the tag, and its ancestors the marker. One that hides all of these on
    purpose is not recognised.
    """
    host = host or this_host()
    tag = host.tag_of(os.getpid())
    return (tag is not None and is_tag(tag)) or any(host.marker_of(pid) for pid in lineage(host.sight(), os.getpid()))
