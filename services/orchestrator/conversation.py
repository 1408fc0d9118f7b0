"""What is said to a model, and what it says back: one vocabulary for every provider.

A model's text exists here and nowhere else on the numeric route: the tool loop reads its calls and drops its text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Tool:
    """A function a model may call."""

    name: str
    description: str
    parameters: Mapping[str, object]
    """JSON Schema of the arguments."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call a model made; `arguments` are as it wrote them, which may be anything."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a model."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Instructions:
    """What the model is told before anything else."""

    text: str


@dataclass(frozen=True, slots=True)
class UserText:
    """A text of the user."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What a call came to."""

    call_id: str
    text: str


Message = Instructions | UserText | Turn | ToolReply


class ProviderError(Exception):
    """A model call failed. `reason` is a code; neither it nor the message carries a prompt, a reply or a key."""

    def __init__(self, reason: str, *, is_unprocessed: bool = False, retry_after_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_unprocessed = is_unprocessed
        """The server said, or never got to say, that it did nothing: asking again does nothing twice."""
        self.retry_after_seconds = retry_after_seconds


class Model(Protocol):
    """A conversation partner that ends in time; the caller's deadline is built in."""

    async def complete(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Turn:
        """The model's next turn. Raises `ProviderError` and nothing else."""
        ...
