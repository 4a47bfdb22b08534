"""Leases in memory, for tests and demonstrations."""

import math
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence

from shiftwork.ports.store import Fence
from shiftwork.ports.views import Lease, Owner


class MemoryLeases:
    """See `ports.store.Leases`."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._held: dict[str, tuple[Owner, float]] = {}
        self._epochs: defaultdict[str, int] = defaultdict(int)

    async def acquire(
        self, resource: str, owner: Owner, *, replacing: Owner | None = None, older_than: float = 0.0
    ) -> Lease | None:
        with self.lock:
            held = self._lease(resource) if resource in self._held else None
            if held is None or held.owner != owner:
                if held is not None and (held.owner != replacing or held.age < older_than):
                    return held
                self._epochs[resource] += 1
            self._held[resource] = (owner, time.monotonic())
            return None

    async def renew(self, owner: Owner) -> Mapping[str, int]:
        with self.lock:
            mine = sorted(resource for resource, (holder, _) in self._held.items() if holder == owner)
            self._held.update({resource: (owner, time.monotonic()) for resource in mine})
            return {resource: self._epochs[resource] for resource in mine}

    async def leave(self, owner: Owner) -> None:
        with self.lock:
            mine = [resource for resource, (holder, _) in self._held.items() if holder == owner]
            self._held.update(dict.fromkeys(mine, (owner, -math.inf)))

    async def release(self, resource: str, owner: Owner) -> None:
        with self.lock:
            if resource in self._held and self._held[resource][0] == owner:
                del self._held[resource]

    async def holders(self) -> Sequence[Lease]:
        with self.lock:
            return [self._lease(resource) for resource in sorted(self._held)]

    def keeps(self, fence: Fence) -> bool:
        """Whether the lease still matches the fence; call this while holding `lock`."""
        holder = self._held.get(fence.resource)
        return holder is not None and (holder[0].executor, self._epochs[fence.resource]) == (
            fence.executor,
            fence.epoch,
        )

    def _lease(self, resource: str) -> Lease:
        owner, heartbeat = self._held[resource]
        return Lease(resource=resource, owner=owner, age=time.monotonic() - heartbeat)
