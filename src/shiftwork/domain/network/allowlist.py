"""Whether a program with listed hosts may call a host: checks its name, then the address that the name resolves to."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

from shiftwork.domain.network.hosts import Host

_UNICAST: Final = IPv6Network("2000::/3")
_TRANSLATED: Final = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
"""Their last four bytes hold the real IPv4 address."""

_TUNNELLED: Final = (IPv6Network("2001::/32"), IPv6Network("2002::/16"))


def listed(hosts: Iterable[Host], name: str, port: int) -> tuple[Host, ...]:
    """The entries that match the name, in its normalised spelling, at that port."""
    return tuple(host for host in hosts if port in host.ports and _means(host, name))


def _means(host: Host, name: str) -> bool:
    return name.endswith(f".{host.name}") if host.below else name == host.name


def may_lead_to(meant: Iterable[Host], address: str) -> bool:
    """The owner of a name decides what it resolves to, which could be the user's own machine. Only unambiguous entries
    may lead there or to networks that are not public.
    """
    return is_public(address) or any(host.is_wished for host in meant)


def is_public(address: str) -> bool:
    place = _unwrapped(ip_address(address))
    if isinstance(place, IPv6Address) and (place not in _UNICAST or any(place in net for net in _TUNNELLED)):
        return False
    return place.is_global and not place.is_multicast


def _unwrapped(place: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    if isinstance(place, IPv6Address) and any(place in net for net in _TRANSLATED):
        return IPv4Address(int(place) & 0xFFFFFFFF)
    return place
