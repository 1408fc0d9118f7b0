"""Log files of the stack: rotation by size, the last lines, following.

Processes write with append mode, so a file can be copied and emptied under them.
"""

import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

MAX_BYTES: Final = 10_000_000
KEPT: Final = 3
"""Older files per log: name.log.1 (newest) to name.log.3."""
POLL_SECONDS: Final = 0.3
TAIL_BYTES: Final = 64_000


def rotate(folder: Path, *, max_bytes: int = MAX_BYTES) -> None:
    """Set aside every log that has grown beyond `max_bytes`."""
    for log in folder.glob("*.log"):
        if log.stat().st_size <= max_bytes:
            continue
        for number in range(KEPT, 1, -1):
            older = log.with_name(f"{log.name}.{number - 1}")
            if older.exists():
                older.replace(log.with_name(f"{log.name}.{number}"))
        shutil.copyfile(log, log.with_name(f"{log.name}.1"))
        with log.open("r+b") as file:
            file.truncate(0)


def size_of(log: Path) -> int:
    """How long a log is by now; 0 when it does not exist."""
    return log.stat().st_size if log.exists() else 0


def last_lines(log: Path, count: int, *, start: int = 0) -> list[str]:
    """The last lines of a file from the byte `start` on; none when it does not exist."""
    try:
        with log.open("rb") as file:
            end = file.seek(0, 2)
            first = start if start <= end else 0  # emptied meanwhile
            file.seek(max(first, end - TAIL_BYTES))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return []
    return text.splitlines()[-count:]


def follow(logs: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """New lines of several files, for ever; survives rotation."""
    positions = {log: size_of(log) for log in logs}
    rests = {log: b"" for log in logs}
    while True:
        for log in logs:
            fresh, positions[log] = _fresh_bytes(log, positions[log])
            *lines, rests[log] = (rests[log] + fresh).split(b"\n")
            for line in lines:
                yield log, line.decode("utf-8", errors="replace")
        time.sleep(POLL_SECONDS)


def _fresh_bytes(log: Path, position: int) -> tuple[bytes, int]:
    try:
        with log.open("rb") as file:
            size = file.seek(0, 2)
            start = position if position <= size else 0  # emptied meanwhile
            file.seek(start)
            return file.read(size - start), size
    except OSError:
        return b"", position
