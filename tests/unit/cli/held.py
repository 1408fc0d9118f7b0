"""Directories in which a stack seems to run: the lock is held and the state says so; no process is started."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from cli.stack.state import DirectoryLock, write_state
from tests.unit.cli.test_stack_state import _state


@contextmanager
def held(directory: Path, **changes: object) -> Generator[None]:
    """A stack that answers nowhere."""
    directory.mkdir(parents=True, exist_ok=True)
    lock = DirectoryLock(directory)
    assert lock.acquire()
    write_state(directory, _state(directory).model_copy(update=changes))
    try:
        yield
    finally:
        lock.release()
