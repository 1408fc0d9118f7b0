"""Keeps web pages of others away from a gateway that has no keys: a browser on this machine reaches loopback too.

Programs send neither `Origin` nor a foreign `Host`, so only browsers meet these rules.
"""

from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from runtime.errors import ForbiddenError


def refuse_foreign_pages(host: str | None, origin: str | None, allowed: frozenset[str]) -> None:
    """Raise `ForbiddenError` for a page of another origin, and for a public name that was pointed at this address."""
    if host and not _is_own_name(_name_of(host), allowed):
        raise ForbiddenError("This host name is not served here; RAGSPINE_HTTP_ALLOWED_HOSTS names further ones.")
    if origin is not None and not _is_same(origin, host, allowed):
        raise ForbiddenError("Pages of other origins are not served.")


@lru_cache(maxsize=256)
def _is_own_name(name: str, allowed: frozenset[str]) -> bool:
    # A name without a dot cannot be registered by a stranger, and an address cannot be pointed elsewhere.
    return "." not in name or _is_address(name) or name in allowed


def _is_same(origin: str, host: str | None, allowed: frozenset[str]) -> bool:
    try:
        parts = urlsplit(origin)
        return parts.netloc.lower() == (host or "").lower() or (parts.hostname or "") in allowed
    except ValueError:
        return False


def _name_of(host: str) -> str:
    """The name or address of a `Host` header, without its port."""
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return name.rstrip(".").lower()


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
