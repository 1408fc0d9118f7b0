"""Ending background tasks for certain.

One cancellation can get lost: `asyncio.wait_for` of Python before 3.12, which client libraries use, drops one that
comes in the very moment in which what it waits for ends. A loop that was told to stop would then go on for ever.
"""

import asyncio
from typing import Any, Final

AGAIN_SECONDS: Final = 0.5


async def end(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks until they have ended, however they do; whoever awaits them still gets their exceptions."""
    while running := [task for task in tasks if not task.done()]:
        for task in running:
            task.cancel()
        await asyncio.wait(running, timeout=AGAIN_SECONDS)
    await asyncio.gather(*tasks, return_exceptions=True)
