"""From a listed host to the one address that is connected to. A name that points inwards is not followed.

All addresses of a name are looked at: one that may not be told makes the whole name suspect. The connection then goes
to an address that was looked at, so a name that changes its mind in between changes nothing.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from services.gateway.asks.webhooks.targets import is_loopback

Lookup = Callable[[str], Awaitable[Sequence[str]]]
"""The IP addresses of a name; raises `OSError` when there are none."""

_METADATA: Final = frozenset({IPv4Address("100.100.100.200"), IPv6Address("fd00:ec2::254")})
"""Where clouds hand out credentials, beside the link-local addresses."""
_PRIVATE: Final = tuple(
    ip_network(text) for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")
)
_INDIRECT: Final = tuple(ip_network(text) for text in ("2002::/16", "2001::/32", "fec0::/10", "64:ff9b:1::/48"))
"""6to4, Teredo, site-local and local NAT64: they lead to an address of somebody's choice, or inwards."""
_NAT64: Final = IPv6Network("64:ff9b::/96")
_LAST_32_BITS: Final = 0xFFFF_FFFF


class UnsafeAddressError(Exception):
    """The name points to where a webhook may not go."""


async def system_lookup(host: str) -> Sequence[str]:
    """What the system's resolver says."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


async def pinned_address(host: str, lookup: Lookup, *, may_be_private: bool) -> str:
    """The address to connect to; raises `UnsafeAddressError`, or `OSError` when there is none."""
    literal = _literal(host)
    found = [literal] if literal is not None else [_literal(text) for text in await lookup(host)]
    if not found:
        raise OSError("no address")
    for address in found:
        if address is None or not is_allowed(address, may_be_private=may_be_private):
            raise UnsafeAddressError
        if is_loopback(host) != _inner(address).is_loopback:  # this machine by its name only, and that name only so
            raise UnsafeAddressError
    return str(found[0])


def is_allowed(address: IPv4Address | IPv6Address, *, may_be_private: bool) -> bool:
    """Whether a webhook may go to an address. Link-local and metadata addresses are never allowed."""
    inner = _inner(address)
    if inner in _METADATA or inner.is_link_local or inner.is_multicast or inner.is_unspecified:
        return False
    if any(inner in network for network in _PRIVATE) or inner.is_loopback:
        return may_be_private
    return inner.is_global and not inner.is_reserved and not any(inner in network for network in _INDIRECT)


def _inner(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that an IPv6 address stands for, where it does."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in _NAT64:
            return IPv4Address(int(address) & _LAST_32_BITS)
    return address


def _literal(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None
