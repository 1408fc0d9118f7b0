"""The parts of a message of the Anthropic protocol that are used, read strictly in kind and leniently otherwise.

The model name and texts that an endpoint sends back stay out of telemetry: it could put anything there.
"""

import json
from collections.abc import Mapping
from typing import Final, cast

from pydantic import BaseModel, ConfigDict

from services.orchestrator.conversation import ToolCall, Turn
from services.orchestrator.providers.ports import Completed

KNOWN_STOP_REASONS: Final = frozenset({"end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal"})


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)


class _Block(_Reply):
    type: str
    text: str = ""
    id: str = ""
    name: str = ""
    input: object = None


class _Usage(_Reply):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _Message(_Reply):
    content: tuple[_Block, ...]
    stop_reason: str | None = None
    usage: _Usage | None = None


def read_reply(body: bytes) -> Completed:
    """The texts and calls of a message; blocks of other kinds are passed over. Raises pydantic's `ValidationError`."""
    reply = _Message.model_validate_json(body)
    usage = reply.usage or _Usage()
    calls = tuple(
        ToolCall(block.id or f"call_{place}", block.name, _written(block.input))
        for place, block in enumerate(block for block in reply.content if block.type == "tool_use")
    )
    return Completed(
        turn=Turn(text="".join(block.text for block in reply.content if block.type == "text"), tool_calls=calls),
        finish_reason=reply.stop_reason if reply.stop_reason in KNOWN_STOP_REASONS else "other",
        input_tokens=max(0, usage.input_tokens or 0),
        output_tokens=max(0, usage.output_tokens or 0),
    )


def arguments_of(text: str) -> dict[str, object]:
    """A call's arguments as the object that the protocol wants back; empty where the model wrote something else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return dict(cast("Mapping[str, object]", value)) if isinstance(value, dict) else {}


def _written(arguments: object) -> str:
    """Some endpoints send a text where the protocol has an object; it is then read as any text of a model."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
