"""The keys in force: who a key belongs to, found in the same steps whatever is wrong with it."""

import re
import secrets
from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256
from hmac import compare_digest
from typing import Final

from services.gateway.access.callers import Caller
from services.gateway.access.key_file import KEY_PATTERN, StoredKey

_KEY: Final = re.compile(KEY_PATTERN)
_NO_KEY: Final = ("", "")


class KeyRing:
    """Keys by their ids."""

    def __init__(self, keys: Iterable[StoredKey]) -> None:
        self._held = {key.id: (bytes.fromhex(key.sha256), key, _caller(key)) for key in keys}
        self._nobody = secrets.token_bytes(sha256().digest_size)
        """What a secret is compared with where the id is of no key; nothing has this digest."""

    def __len__(self) -> int:
        """How many keys there are, valid or not."""
        return len(self._held)

    def caller(self, authorization: str | None, now: datetime) -> Caller | None:
        """Who sent this header; None for no key, an unknown one, a wrong secret, a revoked and an expired one alike."""
        match = _KEY.fullmatch(_bearer(authorization))
        key_id, secret = match.groups() if match else _NO_KEY
        held = self._held.get(key_id)
        digest = held[0] if held else self._nobody
        is_same = compare_digest(sha256(secret.encode()).digest(), digest)
        if held is None or not is_same or not held[1].is_valid(now):
            return None
        return held[2]

    def holds(self, key_id: str | None, now: datetime) -> bool:
        """Whether the key of this id is among them and valid."""
        held = self._held.get(key_id or "")
        return held is not None and held[1].is_valid(now)


def _caller(key: StoredKey) -> Caller:
    return Caller(key.app, key.scopes, key.id, key.rate)


def _bearer(authorization: str | None) -> str:
    scheme, _, key = (authorization or "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""
