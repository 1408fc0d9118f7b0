"""State file and lock of a data directory."""

import stat
from datetime import UTC, datetime
from pathlib import Path

from cli.stack.state import (
    DirectoryLock,
    StackPhase,
    StackState,
    UnitPhase,
    UnitState,
    is_locked,
    read_state,
    remove_state,
    running_stack,
    write_state,
)


def _state(directory: Path) -> StackState:
    return StackState(
        phase=StackPhase.READY,
        http_url="http://127.0.0.1:1",
        profile="p",
        profile_digest="d",
        data_dir=str(directory),
        logs=str(directory / "logs"),
        pid=1,
        started_at=datetime(2025, 1, 1, tzinfo=UTC),
        processes={"facts": UnitState(phase=UnitPhase.RUNNING, pid=2)},
    )


def test_state_comes_back_as_written_and_is_for_its_owner_only(tmp_path: Path) -> None:
    write_state(tmp_path, _state(tmp_path))

    assert read_state(tmp_path) == _state(tmp_path)
    assert stat.S_IMODE((tmp_path / "stack.json").stat().st_mode) == 0o600


def test_state_that_cannot_be_read_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / "stack.json").write_text('{"phase": "asleep"}')

    assert read_state(tmp_path) is None
    assert read_state(tmp_path / "missing") is None


def test_stack_runs_only_while_its_lock_is_held(tmp_path: Path) -> None:
    write_state(tmp_path, _state(tmp_path))
    lock = DirectoryLock(tmp_path)

    assert running_stack(tmp_path) is None
    assert lock.acquire()
    assert running_stack(tmp_path) == _state(tmp_path)
    lock.release()
    assert running_stack(tmp_path) is None


def test_second_lock_is_refused(tmp_path: Path) -> None:
    first, second = DirectoryLock(tmp_path), DirectoryLock(tmp_path)

    assert first.acquire()
    assert not second.acquire()
    assert is_locked(tmp_path)
    first.release()
    assert second.acquire()
    second.release()


def test_removing_a_state_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    remove_state(tmp_path)

    assert read_state(tmp_path) is None
