"""Log lines as a process writes them, read while it runs: none may hold the mark of a payload."""

import logging
import re
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from io import TextIOBase
from typing import TextIO, cast

from runtime.logging import setup_logging
from tests.fuzz.payloads import MARK

_REQUEST_ID = re.compile(r'"request_id": "[^"]*"')
"""What has the form of one is logged: callers look their requests up by it."""


class Lines(TextIOBase):
    """Counts lines, and keeps those with a mark."""

    def __init__(self) -> None:
        self.count = 0
        self.leaks: list[str] = []

    def write(self, text: str) -> int:
        self.count += text.count("\n")
        if MARK.lower() in _REQUEST_ID.sub("", text).lower():
            self.leaks.append(text[:300])
        return len(text)


@contextmanager
def watched_log() -> Generator[Lines]:
    """Log at the level `debug`, forbidden fields raise; afterwards the handlers are what they were."""
    root, lines = logging.getLogger(), Lines()
    before = (root.handlers[:], root.level, logging.raiseExceptions)
    hooks = (sys.excepthook, threading.excepthook, sys.unraisablehook)
    setup_logging("debug", "fuzz", strict=True, stream=cast("TextIO", lines))
    try:
        yield lines
    finally:
        root.handlers[:], logging.raiseExceptions = before[0], before[2]
        root.setLevel(before[1])
        sys.excepthook, threading.excepthook, sys.unraisablehook = hooks
        logging.captureWarnings(capture=False)
