"""Where a webhook may go. Deciding reads the text of a URL and nothing else: no name is resolved, no socket is opened.

A URL is taken apart by one strict grammar and put together again from its parts, so that no second parser can see
another host in it than this one did.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Final, Self

from contracts.v1.errors import FieldProblem
from runtime.errors import InvalidRequestError

MAX_URL_CHARS: Final = 2_048

FIELD: Final = "webhook_url"
_OFF: Final = "webhooks are off: the operator names the hosts that may be told in RAGSPINE_WEBHOOK_HOSTS"
_UNLISTED: Final = "its host and port are not listed in RAGSPINE_WEBHOOK_HOSTS"
_FORM: Final = "must be https://host/path in printable ASCII, without user, fragment or blanks"
_INSECURE: Final = "must be https://; http:// is for listed loopback hosts only"

_PORTS: Final = {"http": 80, "https": 443}
_HOST: Final = r"\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?"
_PATH: Final = r"(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?"
_QUERY: Final = r"(?:\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?"
_URL: Final = re.compile(f"([A-Za-z]{{4,5}})://({_HOST})(?::([0-9]{{1,5}}))?({_PATH})({_QUERY})", re.ASCII)
_LISTED: Final = re.compile(f"({_HOST})(?::([0-9]{{1,5}}))?", re.ASCII)
_NUMERIC: Final = re.compile(r"(?:[0-9]+|0x[0-9a-f]*)", re.ASCII)
_LAST_PORT: Final = 65_535


@dataclass(frozen=True, slots=True)
class Target:
    """An address that may be told."""

    scheme: str
    host: str
    """In lower case; an IPv6 address without its brackets."""
    port: int
    path: str
    """With the query; never empty."""

    @property
    def authority(self) -> str:
        """The `Host` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def at(self, address: str) -> str:
        """The URL with an IP address in the place of the name."""
        host = f"[{address}]" if ":" in address else address
        return f"{self.scheme}://{host}:{self.port}{self.path}"


@dataclass(frozen=True, slots=True)
class HostList:
    """The hosts that may be told."""

    listed: frozenset[tuple[str, int | None]]
    """Host and port; None: the usual port of the scheme."""
    private: frozenset[str] = frozenset()
    """Of these, the hosts that may have an address of a private network."""

    @classmethod
    def parse(cls, listed: str, private: str = "") -> Self:
        """From comma-separated `host` or `host:port`; raises `ValueError`, which repeats no value."""
        entries = frozenset(_entry(text) for text in _parts(listed))
        names = frozenset(_entry(text)[0] for text in _parts(private))
        if not names <= {host for host, _ in entries}:
            raise ValueError("names a host that is not in RAGSPINE_WEBHOOK_HOSTS")
        return cls(entries, names)

    def target(self, url: str) -> Target:
        """The address that a URL names; raises `InvalidRequestError`, which repeats nothing of it."""
        if not self.listed:
            raise _refused(_OFF)
        match = _URL.fullmatch(url) if len(url) <= MAX_URL_CHARS else None
        if match is None:
            raise _refused(_FORM)
        scheme, host = match[1].lower(), _host(match[2])
        if scheme not in _PORTS or host is None:
            raise _refused(_FORM)
        port = int(match[3]) if match[3] else _PORTS[scheme]
        if not 0 < port <= _LAST_PORT:
            raise _refused(_FORM)
        if scheme == "http" and not is_loopback(host):
            raise _refused(_INSECURE)
        if (host, port) not in self.listed and not (port == _PORTS[scheme] and (host, None) in self.listed):
            raise _refused(_UNLISTED)
        return Target(scheme, host, port, (match[4] or "/") + match[5])

    def may_be_private(self, host: str) -> bool:
        """Whether an operator has said that this host is in a private network; a loopback host says so itself."""
        return host in self.private or is_loopback(host)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its very name."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _parts(text: str) -> Iterable[str]:
    return (part.strip() for part in text.split(",") if part.strip())


def _entry(text: str) -> tuple[str, int | None]:
    match = _LISTED.fullmatch(text)
    host = _host(match[1]) if match else None
    if match is None or host is None:
        raise ValueError("must be host or host:port, several separated by commas")
    if match[2] and not 0 < int(match[2]) <= _LAST_PORT:
        raise ValueError("has a port that is none")
    return host, int(match[2]) if match[2] else None


def _host(text: str) -> str | None:
    """A host in the one form in which it is compared; None for what is no plain name and no plain address."""
    if text.startswith("["):
        return _ipv6(text[1:-1])
    labels = text.lower().split(".")
    if any(not label or len(label) > 63 or label[0] == "-" or label[-1] == "-" for label in labels):
        return None
    if _NUMERIC.fullmatch(labels[-1]):  # resolvers read 127.1, 0x7f000001 and 2130706433 as addresses
        return _ipv4(text)
    return text.lower()


def _ipv4(text: str) -> str | None:
    try:
        return str(ip_address(text))  # refuses leading zeros and fewer than four parts
    except ValueError:
        return None


def _ipv6(text: str) -> str | None:
    try:
        return str(IPv6Address(text))
    except ValueError:
        return None


def _refused(reason: str) -> InvalidRequestError:
    return InvalidRequestError(problems=(FieldProblem(field=FIELD, reason=reason),))
