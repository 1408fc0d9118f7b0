"""One attempt at a piece of work, whose every way to end is a value: a result, a typed error, or a fault of ours."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from runtime.deadline import Deadline, serving_until
from runtime.errors import AskError, DeadlineExceededError
from runtime.logging import describe, get_log

_log = get_log(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fault:
    """Our code failed; what went wrong is in the log."""


async def attempt(name: str, work: Callable[[], Awaitable[T]], deadline: Deadline) -> T | AskError | Fault:
    """Do `work` within its deadline; raises nothing but `CancelledError`."""
    limit = asyncio.timeout(max(0.0, deadline.left()))
    try:
        with serving_until(deadline):
            async with limit:
                return await work()
    except AskError as error:
        return error
    except Exception as error:
        if isinstance(error, TimeoutError) and limit.expired():
            return DeadlineExceededError()
        _log.error("attempt_failed", name=name, **describe(error))
        return Fault()
