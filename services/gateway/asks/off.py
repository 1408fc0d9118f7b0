"""The desk of a gateway without durable asks: everything else works, and this says what to set."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from contracts.v1.asks import AskList, AskStatus, ListAsks, SubmitAsk
from runtime.errors import UnavailableError
from services.gateway.asks.ports import Acceptance, Retry


@dataclass(frozen=True)
class AsksOff:
    """`AskDesk` that is closed, with the reason."""

    missing: tuple[str, ...]
    """The variables that are not set."""

    async def accept(self, app: str, ask: SubmitAsk, idempotency_key: str | None) -> Acceptance:
        """Raises `UnavailableError`."""
        raise self._closed()

    async def find(self, app: str, ask_id: str) -> AskStatus | None:
        """Raises `UnavailableError`."""
        raise self._closed()

    async def list(self, app: str, wanted: ListAsks) -> AskList:
        """Raises `UnavailableError`."""
        raise self._closed()

    async def retry(self, app: str, ask_id: str) -> Retry:
        """Raises `UnavailableError`."""
        raise self._closed()

    def follow(self, app: str, ask_id: str) -> AsyncGenerator[AskStatus]:
        """Raises `UnavailableError`."""
        raise self._closed()

    def _closed(self) -> UnavailableError:
        names = " and ".join(self.missing)
        return UnavailableError(f"Durable asks are switched off here: set {names} for the gateway and the migration.")
