"""Logging as it was, after a test that set it up for a process."""

import logging
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager

from runtime import logging as runtime_logging


@contextmanager
def restored_logging() -> Generator[None]:
    """Undo `setup_logging`, hooks included: pytest has hooks of its own there."""
    root = logging.getLogger()
    handlers, level, raises = root.handlers[:], root.level, logging.raiseExceptions
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
    yield
    runtime_logging.setup_logging("info", "test")  # not strict any more
    root.handlers[:], root.level, logging.raiseExceptions = handlers, level, raises
    sys.excepthook, threading.excepthook, sys.unraisablehook = hooks
    logging.captureWarnings(capture=False)
