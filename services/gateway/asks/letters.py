"""Publishing final words: the stream follows the ledger, and ends with exactly what the ledger says."""

from dataclasses import dataclass
from typing import Final

from contracts import subjects
from runtime.deadline import Deadline
from runtime.errors import UnavailableError
from runtime.subject_stream import SubjectStream
from services.gateway.asks.records import Name
from services.gateway.asks.store.working import WorkingLedger

PUBLISH_SECONDS: Final = 5.0


@dataclass(frozen=True)
class Letters:
    """The letter box of answers."""

    stream: SubjectStream
    ledger: WorkingLedger

    async def deliver(self, name: Name, final: str) -> None:
        """Publish a final word and note that it is; raises as `publish` does."""
        await self.publish(name, final)
        await self.ledger.published(name, final)

    async def publish(self, name: Name, final: str) -> None:
        """Return once the stream holds this final word; raises `UnavailableError` or `DeadlineExceededError`.

        Something else under that subject is older than an ordered retry, or forged: it goes.
        """
        subject, body = subjects.answers(name.app, name.ask_id), final.encode()
        if await self._put(subject, body):
            return
        held = await self.stream.get(subject)
        if held is not None and held.body == body:
            return
        if held is not None:
            await self.stream.remove(held)
        if not await self._put(subject, body):
            raise UnavailableError("The answer could not be published; it is tried again.")

    async def _put(self, subject: str, body: bytes) -> bool:
        return await self.stream.put(subject, body, Deadline.after(PUBLISH_SECONDS))
