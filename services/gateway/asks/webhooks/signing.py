"""How a receiver knows that a webhook is ours and new: HMAC-SHA-256 over its time and its body, under a shared secret.

Several secrets sign side by side, so that one can be replaced without a moment in which a receiver refuses. An app with
secrets of its own is signed for with those only: no receiver of another app can then sign in our name for it.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from contracts.subjects import HEADER_SIGNATURE, HEADER_TIMESTAMP

SCHEME: Final = "v1"
"""What a signature begins with; another way of signing would get another name beside it."""
MIN_SECRET_CHARS: Final = 24
"""As `openssl rand -base64 18` makes it: 144 bits."""

_MIN_DISTINCT: Final = 8
"""Fewer different characters are a pattern, not a secret."""
_LINE: Final = re.compile(r"(?:([a-z0-9][a-z0-9_-]{0,31}):)?([!-~]+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Secrets:
    """The secrets in force."""

    shared: tuple[bytes, ...] = ()
    own: Mapping[str, tuple[bytes, ...]] = field(default_factory=dict[str, tuple[bytes, ...]])
    """By app."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """One secret a line, `app:secret` for that of one app; raises `ValueError`, which repeats no value."""
        found: dict[str, tuple[bytes, ...]] = {}
        for line in (line.strip() for line in text.splitlines()):
            if line and not line.startswith("#"):
                app, secret = _read(line)
                found[app] = (*found.get(app, ()), secret)
        return cls(found.pop("", ()), found)

    def of(self, app: str) -> tuple[bytes, ...]:
        """The secrets that sign for an app; empty: it cannot be told."""
        return self.own.get(app, self.shared)

    @property
    def is_empty(self) -> bool:
        """Whether there is none at all."""
        return not self.shared and not self.own

    def __repr__(self) -> str:
        return "Secrets(…)"


def signed_headers(secrets: Sequence[bytes], body: bytes, *, now: int) -> dict[str, str]:
    """The headers of a webhook sent at `now`, in seconds since the epoch: one signature for each secret."""
    signatures = (f"{SCHEME}={signature(secret, body, at=now)}" for secret in secrets)
    return {HEADER_TIMESTAMP: str(now), HEADER_SIGNATURE: ",".join(signatures)}


def signature(secret: bytes, body: bytes, *, at: int) -> str:
    """HMAC-SHA-256 in hex over the time, a full stop and the body."""
    return hmac.new(secret, f"{at}.".encode() + body, hashlib.sha256).hexdigest()


def _read(line: str) -> tuple[str, bytes]:
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError("holds a line that is neither a secret nor app:secret")
    app, secret = match[1] or "", match[2]
    if len(secret) < MIN_SECRET_CHARS or len(set(secret)) < _MIN_DISTINCT:
        raise ValueError(f"holds a secret that can be guessed; make one of at least {MIN_SECRET_CHARS} random letters")
    return app, secret.encode()
