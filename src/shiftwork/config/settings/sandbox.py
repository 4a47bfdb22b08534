"""The table `[sandbox]` of the settings."""

from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from shiftwork.config.settings.values import Port, Positive, Strict
from shiftwork.domain.network.hosts import Host, read_host


class RoomSettings(Strict):
    """What a kind of program may reach from a sandbox, in addition to what it needs. If neither network nor hosts are
    set, agents only call their own models, and gates get as little network as they need: see `Rung`.
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
            raise ValueError("hosts are listed, but network = false allows none; remove one of the two")
        if self.ports and self.network != "auto":
            raise ValueError("ports work only with network = 'auto'; remove network or ports")
        return self


class SetupRoomSettings(Strict):
    """The hosts the setup command may call from a sandbox, in addition to the package registries in force."""

    hosts: tuple[str, ...] = ()

    @property
    def host_list(self) -> tuple[Host, ...]:
        return tuple(map(read_host, self.hosts))

    @model_validator(mode="after")
    def _sound(self) -> Self:
        _ = self.host_list
        return self


class SandboxSettings(Strict):
    """What separates the user's machine from the programs of agents and gates."""

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
            raise ValueError("podman is not supported yet; use 'auto', 'bubblewrap' or 'none'")
        return value
