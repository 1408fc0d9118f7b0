"""Whether a process is alive and whether it can do its work, as other machines ask it.

Alive means only that the event loop turns. Ready means that the process serves, hears the bus through a request to
itself, and that every named check passes. A check answers with a reason code, never with a text of a driver.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from runtime.errors import AskError
from runtime.logging import describe, get_log

CHECK_TIMEOUT_SECONDS: Final = 2.0
CACHE_SECONDS: Final = 0.5
"""A report is good for this long, so that asking often costs nothing."""

OK: Final = "ok"
PROFILE_DIGEST: Final = "profile_digest"
"""The detail that says which company profile is in force."""

_log = get_log(__name__)

Check = Callable[[], Awaitable[str | None]]
"""Returns None when all is well, else a reason code; raising counts as not well."""

Watch = Callable[[], Awaitable[str]]
"""Returns a code that is shown beside the checks and decides nothing."""


class Phase(StrEnum):
    """Where in its life a process is."""

    STARTING = "starting"
    SERVING = "serving"
    STOPPING = "stopping"


@dataclass(frozen=True, slots=True)
class Report:
    """What `/readyz` says."""

    is_ready: bool
    checks: dict[str, str]
    """`ok` or a reason code, by the name of the check."""
    details: dict[str, str] = field(default_factory=dict[str, str])

    def body(self) -> dict[str, object]:
        """The report as JSON values."""
        return {"status": "ready" if self.is_ready else "degraded", "checks": self.checks, **self.details}


class Health:
    """The phase and the named checks of one process."""

    def __init__(self) -> None:
        self.phase = Phase.STARTING
        self._checks: dict[str, Check] = {}
        self._details: dict[str, str] = {}
        self._watches: dict[str, Watch] = {}
        self._report = Report(is_ready=False, checks={})
        self._valid_until = 0.0
        self._lock = asyncio.Lock()

    def add_check(self, name: str, check: Check) -> None:
        """Ask `check` too, from now on."""
        self._checks[name] = check

    def add_detail(self, name: str, code: str) -> None:
        """Show a code beside the checks, for example the digest of the profile in force."""
        self._details[name] = code

    def add_watch(self, name: str, watch: Watch) -> None:
        """Show beside the checks what `watch` says at that moment; it must not raise."""
        self._watches[name] = watch

    def detail(self, name: str) -> str | None:
        """A code that was added, for those who ask over the bus."""
        return self._details.get(name)

    async def report(self) -> Report:
        """Whether the process can do its work; a report may be up to `CACHE_SECONDS` old."""
        if self.phase is not Phase.SERVING:
            return Report(is_ready=False, checks={"process": self.phase.value}, details=self._details)
        async with self._lock:
            if time.monotonic() >= self._valid_until:
                self._report = await self._ask_all()
                self._valid_until = time.monotonic() + CACHE_SECONDS
        return self._report

    async def _ask_all(self) -> Report:
        names = tuple(self._checks)
        results = await asyncio.gather(*(self._ask(name, self._checks[name]) for name in names))
        checks = dict(zip(names, results, strict=True))
        watched = {name: await watch() for name, watch in self._watches.items()}
        return Report(is_ready=all(result == OK for result in results), checks=checks, details=self._details | watched)

    async def _ask(self, name: str, check: Check) -> str:
        try:
            async with asyncio.timeout(CHECK_TIMEOUT_SECONDS):
                reason = await check()
        except AskError as error:
            return error.code.value
        except TimeoutError:
            return "timeout"
        except Exception as error:
            _log.warning("check_failed", check=name, **describe(error))
            return "unavailable"
        return reason or OK
