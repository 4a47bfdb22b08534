"""What the table `[sandbox]` of the settings says."""

from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from shiftwork.config.settings.values import Port, Positive, Strict
from shiftwork.domain.network.hosts import Host, read_host


class RoomSettings(Strict):
    """What one kind of program may reach from within a sandbox, beside what it needs. Where neither a network nor hosts
    are named, agents call their own models alone, and gates have as little of a network as they need: see `Rung`.
    """

    network: bool | Literal["auto"] = "auto"
    hosts: tuple[str, ...] = ()
    ports: Annotated[tuple[Port, ...], Field(max_length=50)] = ()
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()

    @property
    def host_list(self) -> tuple[Host, ...]:
        return tuple(map(read_host, self.hosts))

    @model_validator(mode="after")
    def _sound(self) -> Self:
        if self.host_list and self.network is False:
            raise ValueError("hosts are listed, and network = false leaves none; take out one of the two")
        if self.ports and self.network != "auto":
            raise ValueError("ports are passed on to a network of its own; take out network, or ports")
        return self


class SetupRoomSettings(Strict):
    """Whom the setup command may call from within a sandbox, beside the package registries in force."""

    hosts: tuple[str, ...] = ()

    @property
    def host_list(self) -> tuple[Host, ...]:
        return tuple(map(read_host, self.hosts))

    @model_validator(mode="after")
    def _sound(self) -> Self:
        _ = self.host_list
        return self


class SandboxSettings(Strict):
    """What stands between the user's machine and the programs of agents and gates."""

    tier: Literal["auto", "bubblewrap", "none"] = "auto"
    memory_gb: Positive | None = None
    processes: Annotated[int, Field(ge=16, le=1_000_000)] = 2000
    disk_gb: Positive = 20
    agents: RoomSettings = RoomSettings()
    gates: RoomSettings = RoomSettings()
    setup: SetupRoomSettings = SetupRoomSettings()

    @field_validator("tier", mode="before")
    @classmethod
    def _built(cls, value: object) -> object:
        if value == "podman":
            raise ValueError("podman is not built yet; there are 'auto', 'bubblewrap' and 'none'")
        return value
