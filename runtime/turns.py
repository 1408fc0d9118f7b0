"""Pieces of work that became ready in the same moment, one per turn of the event loop.

An event loop runs everything that is ready before it looks at its sockets again: a hundred replies that arrive together
are one long turn, in which nobody else is heard, not even who only wants to know whether the process lives. Taking
turns makes none of them later than the last one of the pile was, and costs nothing while there is no pile.
"""

import asyncio
from collections import deque


class Turns:
    """First come, first served."""

    def __init__(self) -> None:
        self._waiting = deque[asyncio.Future[None]]()
        self._is_taken = False

    async def mine(self) -> None:
        """Wait until this turn of the loop is nobody else's."""
        loop = asyncio.get_running_loop()
        if not self._is_taken:
            self._is_taken = True
            loop.call_soon(self._next, loop)
            return
        turn = loop.create_future()
        self._waiting.append(turn)
        await turn

    def _next(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():  # else whoever waited for it has left
                turn.set_result(None)
                loop.call_soon(self._next, loop)
                return
        self._is_taken = False
