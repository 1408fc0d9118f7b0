"""Follows the keys file while the gateway runs: a new key or a revocation is in force within about a second.

A file that became unusable leaves the last good keys in force, and one that is gone does not open the door.
"""

import asyncio
from pathlib import Path
from typing import Final, Literal

from runtime.logging import get_log
from services.gateway.access.gate import Gate
from services.gateway.access.key_file import KeyFileError, read_keys
from services.gateway.access.ring import KeyRing

LOOK_SECONDS: Final = 0.5
"""A revocation is to work within a second."""

State = Literal["off", "in_force", "missing", "unreadable", "open_to_others", "invalid"]
"""Of the keys: not needed; those of the file; or what is wrong with the file while earlier ones are in force."""
Stamp = tuple[int, ...]

_log = get_log(__name__)


class KeysWatch:
    """Puts the keys of a file in force, at the start and whenever it has changed."""

    def __init__(self, gate: Gate, path: Path | None) -> None:
        self.gate = gate
        self._path = path
        self._stamp: Stamp | None = None
        self.problem: str | None = None
        """What is wrong with the file; None when nothing is."""

    @property
    def state(self) -> str:
        """One of `State`."""
        if self.gate.ring is None:
            return self.problem or "off"
        return self.problem or "in_force"

    async def tell(self) -> str:
        """The state, for `/readyz`."""
        return self.state

    def start(self) -> None:
        """Read the file before the door opens; one that is not there is no problem yet. Raises `KeyFileError`."""
        if self._path is None:
            return
        self._stamp = _stamp_of(self._path)
        try:
            self._put_in_force(self._path)
        except KeyFileError as error:
            if error.reason != "missing":
                raise

    async def run(self) -> None:
        """Look for changes until cancelled."""
        if self._path is None:
            return
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self.look()

    async def look(self) -> None:
        """Put the file in force if it has changed; it is read beside the event loop."""
        if self._path is not None:
            await asyncio.to_thread(self._follow, self._path)

    def _follow(self, path: Path) -> None:
        stamp = _stamp_of(path)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._put_in_force(path)
        except KeyFileError as error:
            if self.gate.ring is None and error.reason == "missing":
                return
            self.problem = error.reason
            _log.error("keys_file_unusable", reason=error.reason)

    def _put_in_force(self, path: Path) -> None:
        keys = read_keys(path).keys
        if keys or self.gate.ring is not None:
            self.gate.ring = KeyRing(keys)
        self.problem = None
        _log.info("keys_in_force", count=len(keys))


def _stamp_of(path: Path) -> Stamp | None:
    """What changes with a file; None where there is none to be seen."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_mode)
