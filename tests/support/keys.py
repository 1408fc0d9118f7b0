"""API keys for tests: gates without keys, files with keys in every state."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from contracts.codes import Scope
from services.gateway.access.failures import FailedAttempts
from services.gateway.access.gate import Gate
from services.gateway.access.key_file import IssuedKey, KeyFile, KeyRate, issue_key, write_keys
from services.gateway.access.rates import Buckets, Rates

NOW = datetime.now(UTC)
HOUR = timedelta(hours=1)


def open_gate() -> Gate:
    """A gate that lets everybody in."""
    return Gate(Rates(Buckets(time.monotonic), None), FailedAttempts(time.monotonic), lambda: datetime.now(UTC))


def new_key(app: str = "crm", *scopes: Scope, rate: KeyRate | None = None, **state: datetime) -> IssuedKey:
    """A key of an app, with `expires` or `revoked` where they are given."""
    issued = issue_key(app, scopes or (Scope.ASK,), now=NOW - 2 * HOUR, rate=rate)
    return IssuedKey(issued.stored.model_copy(update=state), issued.key)


def store(path: Path, *keys: IssuedKey) -> Path:
    """Put these keys, and no others, into a file."""
    write_keys(path, KeyFile(keys=tuple(key.stored for key in keys)))
    return path


def bearer(key: IssuedKey | str) -> dict[str, str]:
    """The header of a key."""
    return {"Authorization": f"Bearer {key if isinstance(key, str) else key.key}"}
