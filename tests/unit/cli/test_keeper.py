"""Keepers, with small shell processes: restarts, giving up, hanging, stopping, and no orphans."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from cli.stack import keeper as keeper_module
from cli.stack.keeper import Keeper, Patience
from cli.stack.process import describe_exit
from cli.stack.state import UnitPhase
from cli.stack.units import Probe, Unit

ROOT = Path(__file__).parents[3]


async def _well() -> str | None:
    return None


async def _hangs() -> str | None:
    return "does not answer"


def _unit(
    folder: Path,
    script: str,
    *,
    is_ready: Probe = _well,
    is_alive: Probe | None = None,
    stop_seconds: float = 5.0,
    niceness: int = 0,
) -> Unit:
    return Unit(
        name="part",
        command=("/bin/sh", "-c", script),
        environment={"PATH": os.environ["PATH"]},
        log=folder / "part.log",
        is_ready=is_ready,
        is_alive=is_alive,
        stop_seconds=stop_seconds,
        niceness=niceness,
    )


@asynccontextmanager
async def _keeping(unit: Unit, patience: Patience | None = None) -> AsyncGenerator[tuple[Keeper, list[str]]]:
    said: list[str] = []
    keeper = Keeper(unit, report=said.append, changed=lambda: None, patience=patience or Patience())
    keeper.start()
    try:
        yield keeper, said
    finally:
        await keeper.stop()


async def _until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


def _runs(pid: int, program: str) -> bool:
    """Whether the tether has become the program."""
    return Path(f"/proc/{pid}/cmdline").read_bytes().startswith(program.encode())


def _is_gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"


async def test_process_that_ends_is_started_again(tmp_path: Path) -> None:
    async with _keeping(_unit(tmp_path, "exec sleep 60")) as (keeper, said):
        await _until(lambda: keeper.state.pid is not None)
        first = keeper.state.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)

        await _until(lambda: keeper.state.pid not in (None, first))

        assert keeper.state.restarts == 1
        assert said == ["part was ended by SIGKILL; starting it again"]


async def test_gives_up_loudly_after_too_many_crashes(tmp_path: Path) -> None:
    async with _keeping(_unit(tmp_path, "exit 7", is_ready=_hangs), Patience(crashes=3)) as (keeper, said):
        missing = await keeper.wait_ready(10)

        assert missing is not None
        assert keeper.has_failed
        assert said[-1].startswith("GIVING UP on part: it ended with status 7, 3 times")
        assert "part.log" in said[-1]


async def test_wrong_setting_is_not_tried_again(tmp_path: Path) -> None:
    async with _keeping(_unit(tmp_path, "exit 2")) as (keeper, said):
        await _until(lambda: keeper.has_failed)

        assert keeper.state.restarts == 0
        assert len(said) == 1


async def test_stop_kills_what_does_not_listen(tmp_path: Path) -> None:
    deaf = tmp_path / "deaf"
    unit = _unit(tmp_path, f"trap '' TERM; : >'{deaf}'; while :; do sleep 0.05; done", stop_seconds=0.2)
    async with _keeping(unit) as (keeper, said):
        await _until(lambda: keeper.state.pid is not None)
        pid = keeper.state.pid
        assert pid is not None
        await _until(deaf.exists)

        await keeper.stop()

        assert _is_gone(pid)
        assert any("was killed" in line for line in said)


async def test_stop_ends_a_frozen_process_in_order(tmp_path: Path) -> None:
    async with _keeping(_unit(tmp_path, "exec sleep 60")) as (keeper, said):
        await _until(lambda: keeper.state.pid is not None)
        pid = keeper.state.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)

        await keeper.stop()

        assert keeper.state.phase is UnitPhase.STOPPED
        assert said == []


async def test_process_that_hangs_is_killed_and_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper_module, "LIVENESS_SECONDS", 0.02)
    async with _keeping(_unit(tmp_path, "exec sleep 60", is_alive=_hangs), Patience(silences=2)) as (keeper, said):
        await _until(lambda: keeper.state.restarts >= 1)

        assert said[0] == "part does not answer any more; killing it"


async def test_output_goes_to_the_log(tmp_path: Path) -> None:
    async with _keeping(_unit(tmp_path, "echo out; echo err >&2; exec sleep 60")):
        log = tmp_path / "part.log"
        await _until(lambda: log.exists() and log.read_text() == "out\nerr\n")


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's parent-death signal is Linux only")
@pytest.mark.parametrize("is_frozen", [False, True])
async def test_process_dies_with_its_parent_however_that_dies(tmp_path: Path, is_frozen: bool) -> None:
    script = tmp_path / "parent.py"
    script.write_text(f"""\
import asyncio, pathlib, sys
sys.path.insert(0, {str(ROOT)!r})
from tests.unit.cli.test_keeper import _unit
from cli.stack.process import spawn

async def main():
    process = await spawn(_unit(pathlib.Path({str(tmp_path)!r}), "exec sleep 60"))
    print(process.pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
""")
    parent = await asyncio.create_subprocess_exec(sys.executable, str(script), stdout=asyncio.subprocess.PIPE)
    assert parent.stdout is not None
    child = int(await parent.stdout.readline())
    await _until(lambda: _runs(child, "sleep"))
    if is_frozen:
        os.kill(child, signal.SIGSTOP)

    parent.kill()
    await parent.wait()

    await _until(lambda: _is_gone(child))


@pytest.mark.parametrize(
    ("code", "words"), [(0, "ended with status 0"), (-9, "was ended by SIGKILL"), (None, "is running")]
)
def test_exit_in_words(code: int | None, words: str) -> None:
    assert describe_exit(code) == words


@pytest.mark.parametrize("niceness", [0, 7])
async def test_a_process_stands_back_as_far_as_its_unit_says(tmp_path: Path, niceness: int) -> None:
    unit = _unit(tmp_path, "exec sleep 60", niceness=niceness)

    async with _keeping(unit) as (keeper, _):
        await _until(lambda: keeper.state.pid is not None and _runs(keeper.state.pid, "sleep"))

        assert keeper.state.pid is not None
        assert os.getpriority(os.PRIO_PROCESS, keeper.state.pid) == os.getpriority(os.PRIO_PROCESS, 0) + niceness
        assert _session_niceness(keeper.state.pid) in {None, niceness}


def _session_niceness(pid: int) -> int | None:
    """None where processors are not shared out by session."""
    try:
        shown = Path(f"/proc/{pid}/autogroup").read_text()
    except OSError:
        return None
    return int(shown.split()[-1]) if shown.strip() else None
