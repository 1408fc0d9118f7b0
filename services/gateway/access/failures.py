"""Bounds how often one address may show a wrong key, so that guessing is told to stop and cannot fill the logs.

A good key is never refused because of others behind its address. Secrets of 256 bits are what makes guessing hopeless;
this keeps it cheap.
"""

from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from services.gateway.access.key_file import KeyRate
from services.gateway.access.rates import Buckets

ALLOWED: Final = KeyRate(asks_per_minute=20, burst=20)
"""A program with an old key is answered why for a while; more is of no use to it."""
_PREFIX_BITS: Final = 64
"""What one customer of a provider has of IPv6 addresses, at least."""


class FailedAttempts:
    """Counts wrong keys by address. Behind a proxy that is the proxy's."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._buckets = Buckets(clock)

    def note(self, address: str) -> float:
        """A wrong key came from there: how long until the next one is looked at; 0 within the bound."""
        name = _group(address)
        wait = self._buckets.wait_seconds(name, ALLOWED)
        if not wait:
            self._buckets.take(name, ALLOWED)
        return wait


def _group(address: str) -> str:
    try:
        known = ip_address(address)
    except ValueError:
        return address
    if isinstance(known, IPv6Address):
        return str(ip_network((known, _PREFIX_BITS), strict=False))
    return str(known)
