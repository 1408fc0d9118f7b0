"""What every provider offers, and what one of its calls came to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from services.orchestrator.conversation import Message, Tool, Turn


@dataclass(frozen=True, slots=True)
class Completed:
    """A turn, with what operators may know of it."""

    turn: Turn
    finish_reason: str
    input_tokens: int
    output_tokens: int


class Provider(Protocol):
    """A model endpoint; one attempt a call."""

    @property
    def name(self) -> str:
        """For metrics and traces."""
        ...

    @property
    def model(self) -> str:
        """The model asked for."""
        ...

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool], *, timeout_seconds: float
    ) -> Completed:
        """One turn. Raises `ProviderError` and nothing else."""
        ...
