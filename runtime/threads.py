"""Threads for what computes: few of them, and switched often, so that the event loop goes on turning meanwhile.

Threads of Python compute in turns. While N of them are busy, the loop waits for N turns before its own.
"""

import asyncio
import contextvars
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, TypeVar

TURN_SECONDS: Final = 0.001
"""Python's own 5 ms would let three busy threads hold the loop for 15 ms."""

T = TypeVar("T")


def take_short_turns() -> None:
    """Let every thread of this process compute for `TURN_SECONDS` before another one may."""
    sys.setswitchinterval(TURN_SECONDS)


class Threads:
    """At most so many threads for one kind of work; what comes meanwhile waits its turn."""

    def __init__(self, name: str, count: int) -> None:
        # Its threads are made when they are needed first, and end with the process.
        self._pool = ThreadPoolExecutor(count, thread_name_prefix=name)

    async def run(self, work: Callable[..., T], *arguments: object) -> T:
        """Compute something while the loop goes on; spans and deadlines of the caller hold there too.

        A caller that gives up leaves what has begun to end by itself, so it must be bounded.
        """
        context = contextvars.copy_context()
        return await asyncio.get_running_loop().run_in_executor(self._pool, partial(context.run, work, *arguments))
