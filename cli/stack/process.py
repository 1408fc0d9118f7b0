"""Starts and stops one operating-system process of the stack."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Final

from cli.stack.units import Unit

TETHER: Final = Path(__file__).with_name("tether.py")


async def spawn(unit: Unit) -> asyncio.subprocess.Process:
    """Start a unit in a session of its own, so that Ctrl-C reaches the supervisor only; it dies with the supervisor."""
    await asyncio.to_thread(unit.before_start)
    owner = ("-", "-") if unit.owner is None else (str(unit.owner.uid), str(unit.owner.gid))
    log = os.open(unit.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", str(TETHER)),
            *(str(int(unit.death_signal)), str(unit.niceness), *owner, str(os.getpid())),
            *unit.command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=dict(unit.environment),
            cwd="/",
            start_new_session=True,
        )
    finally:
        os.close(log)


async def stop(process: asyncio.subprocess.Process, how: signal.Signals, seconds: float) -> bool:
    """End a process and everything in its session; False when it had to be killed."""
    if process.returncode is not None:
        return True
    send(process, how)
    send(process, signal.SIGCONT)  # a frozen process could not react otherwise
    try:
        async with asyncio.timeout(seconds):
            await process.wait()
    except TimeoutError:
        await kill(process)
        return False
    return True


async def kill(process: asyncio.subprocess.Process) -> None:
    """End a process and its session at once."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    await process.wait()


def send(process: asyncio.subprocess.Process, what: signal.Signals) -> None:
    """Send a signal to a process that may already be gone.

    Not by `process.send_signal`, which would take the exit status away from the waiting side.
    """
    try:
        os.kill(process.pid, what)
    except ProcessLookupError:
        return


def describe_exit(code: int | None) -> str:
    """An exit status in words."""
    if code is None:
        return "is running"
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with status {code}"
