"""The file of API keys: its form, how a key is made, and how the file is read and replaced.

It holds no secret, only SHA-256 digests of secrets of 256 random bits each. A file that others than its owner could
read, or that is not exactly of this form, is not used at all.
"""

import fcntl
import os
import secrets
import stat
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, model_validator

from contracts.codes import Scope

KEY_PATTERN: Final = r"rsk_([a-z0-9]{8,32})\.([A-Za-z0-9_-]{43})"
"""A whole key: the id, which may be seen, and the secret."""
SECRET_BYTES: Final = 32
MAX_KEYS: Final = 1_000
MAX_BYTES: Final = 1024 * 1024
"""More than so many keys take."""
MODE: Final = 0o600

_ID_BYTES: Final = 6


class _Stored(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", hide_input_in_errors=True)


class KeyRate(_Stored):
    """How often a key may ask: in the long run, and at once."""

    asks_per_minute: int = Field(ge=1, le=1_000_000)
    burst: int = Field(ge=1, le=1_000_000)


class StoredKey(_Stored):
    """A key as the file holds it."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9]{8,32}$")]
    app: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]
    """Whose asks, answers and changes these are; an app may have several keys."""
    scopes: Annotated[frozenset[Scope], Field(min_length=1)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", repr=False)]
    """Of the secret, in hexadecimal digits."""
    created: AwareDatetime
    expires: AwareDatetime | None = None
    revoked: AwareDatetime | None = None
    rate: KeyRate | None = None
    """None: as often as the gateway can."""

    def is_valid(self, now: datetime) -> bool:
        """Whether it opens anything at that moment."""
        return (self.expires is None or now < self.expires) and (self.revoked is None or now < self.revoked)


class KeyFile(_Stored):
    """The whole file."""

    version: Literal[1] = 1
    keys: Annotated[tuple[StoredKey, ...], Field(max_length=MAX_KEYS)] = ()

    @model_validator(mode="after")
    def _ids_differ(self) -> Self:
        if len({key.id for key in self.keys}) != len(self.keys):
            raise ValueError("two keys have the same id")
        return self

    def with_key(self, key: StoredKey) -> Self:
        """The file with a key more, or with another state of one that it has."""
        kept = tuple(key if held.id == key.id else held for held in self.keys)
        return self.model_copy(update={"keys": kept if key in kept else (*kept, key)})


class KeyFileError(Exception):
    """A file that cannot be used: a code, and what to do about it."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason
        """`missing`, `unreadable`, `open_to_others` or `invalid`."""


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A new key: what the file keeps of it, and what is shown once."""

    stored: StoredKey
    key: str = field(repr=False)


def issue_key(
    app: str, scopes: Sequence[Scope], *, now: datetime, expires: datetime | None = None, rate: KeyRate | None = None
) -> IssuedKey:
    """A key with a new secret. Raises `ValidationError` for an app that has no name, or no scope."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    stored = StoredKey(
        id=secrets.token_hex(_ID_BYTES),
        app=app,
        scopes=frozenset(scopes),
        sha256=sha256(secret.encode()).hexdigest(),
        created=now,
        expires=expires,
        rate=rate,
    )
    return IssuedKey(stored, f"rsk_{stored.id}.{secret}")


def read_keys(path: Path) -> KeyFile:
    """The file as it is now; raises `KeyFileError`."""
    try:
        with open(path, "rb", opener=_opened_at_once) as file:
            _refuse_open_file(os.fstat(file.fileno()))
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise KeyFileError("missing", "there is no such file") from None
    except OSError as error:
        raise KeyFileError("unreadable", f"cannot be read: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise KeyFileError("invalid", f"is larger than {MAX_BYTES // 1024} KB")
    try:
        return KeyFile.model_validate_json(content)
    except ValidationError as error:
        raise KeyFileError("invalid", _first_problem(error)) from None


def write_keys(path: Path, keys: KeyFile) -> None:
    """Put a file in place of the earlier one at once, readable by its owner only. Raises `OSError`."""
    content = keys.model_dump_json(indent=2, exclude_none=True).encode() + b"\n"
    handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # with mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(part).replace(path)
    except OSError:
        Path(part).unlink(missing_ok=True)
        raise
    _settle(path.parent)


@contextmanager
def changing(path: Path) -> Generator[KeyFile]:
    """The file while nobody else changes it; an empty one where there is none. Raises `KeyFileError` or `OSError`."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, MODE)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield read_keys(path) if path.exists() else KeyFile()
    finally:
        os.close(lock)


def _opened_at_once(path: str, flags: int) -> int:
    """A pipe in place of the file would wait for a writer, and with it every later revocation."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def _refuse_open_file(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise KeyFileError("invalid", "is no file")
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise KeyFileError("open_to_others", "may be read or changed by others than its owner: chmod 600")


def _settle(folder: Path) -> None:
    """Make the new name of a file survive a loss of power."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _first_problem(error: ValidationError) -> str:
    detail = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in detail["loc"])
    return f"{where}: {detail['msg']}" if where else detail["msg"]
