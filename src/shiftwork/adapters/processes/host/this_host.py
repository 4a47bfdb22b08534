"""Chooses how the processes of this machine are read."""

import sys

from shiftwork.adapters.processes.host.host import Host


def this_host() -> Host:
    # Imported only where needed: psutil is slow to import, and the other module works only on Linux.
    if sys.platform != "linux":
        from shiftwork.adapters.processes.host.psutil_host import PortableHost  # noqa: PLC0415 - see above

        return PortableHost()
    from shiftwork.adapters.processes.host.linux import LinuxHost  # noqa: PLC0415 - see above

    return LinuxHost()
