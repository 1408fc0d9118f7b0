"""Tells operators that the profile file has changed since the start; what was read then stays in force."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from domain.profile import ProfileFile, compare_file

Stamp = tuple[int, int] | None
"""Time of change and size of a file; None when it is gone."""


def watch_profile_file(path: Path, digest: str) -> Callable[[], Awaitable[str]]:
    """A code for `/readyz`: `same`, `changed` or `unreadable`. The file is read again only when its stamp is new."""
    known: tuple[Stamp, ProfileFile] | None = None  # it may have changed before this process began

    async def watch() -> str:
        nonlocal known
        stamp = _stamp(path)
        if known is None or known[0] != stamp:
            known = stamp, await asyncio.to_thread(compare_file, path, digest)
        return known[1].value

    return watch


def _stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
