"""Log rotation and following."""

from pathlib import Path

import pytest

from cli.stack import logs
from cli.stack.logs import follow, last_lines, rotate, size_of


def test_log_beyond_the_limit_is_set_aside_and_emptied_in_place(tmp_path: Path) -> None:
    log = tmp_path / "facts.log"
    log.write_text("x" * 11)
    before = log.stat().st_ino

    rotate(tmp_path, max_bytes=10)

    assert log.stat().st_ino == before
    assert log.read_text() == ""
    assert (tmp_path / "facts.log.1").read_text() == "x" * 11


def test_log_within_the_limit_stays(tmp_path: Path) -> None:
    (tmp_path / "facts.log").write_text("x" * 10)

    rotate(tmp_path, max_bytes=10)

    assert (tmp_path / "facts.log").read_text() == "x" * 10


def test_only_the_newest_old_logs_are_kept(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / "facts.log").write_text(f"{number}" * 20)
        rotate(tmp_path, max_bytes=10)

    old = {path.name: path.read_text()[0] for path in tmp_path.glob("facts.log.*")}
    assert old == {"facts.log.1": "5", "facts.log.2": "4", "facts.log.3": "3"}


def test_last_lines_of_a_log(tmp_path: Path) -> None:
    log = tmp_path / "facts.log"
    log.write_text("one\ntwo\nthree\n")

    assert last_lines(log, 2) == ["two", "three"]
    assert last_lines(tmp_path / "missing.log", 2) == []


def test_lines_of_this_start_only(tmp_path: Path) -> None:
    log = tmp_path / "facts.log"
    log.write_text("earlier start\n")
    start = size_of(log)

    with log.open("a") as file:
        file.write("this start\n")

    assert last_lines(log, 9, start=start) == ["this start"]
    assert last_lines(log, 9, start=10_000) == ["earlier start", "this start"]  # emptied and written anew meanwhile
    assert size_of(tmp_path / "missing.log") == 0


def test_following_shows_new_lines_only_and_survives_rotation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "facts.log"
    log.write_text("old\n")
    steps = iter([lambda: log.write_text("old\nnew\nha"), lambda: log.write_text("x\n"), lambda: None])
    monkeypatch.setattr(logs.time, "sleep", lambda _: next(steps)())

    lines = follow([log])

    assert [next(lines)[1], next(lines)[1]] == ["new", "hax"]
