"""The parts of a chat completion that are used, read strictly in kind and leniently in everything else.

Compatible endpoints differ in what they add and leave out; none of it matters here. The model name and texts that an
endpoint sends back stay out of telemetry: it could put anything there.
"""

import json
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from services.orchestrator.conversation import ToolCall, Turn
from services.orchestrator.providers.ports import Completed

KNOWN_FINISH_REASONS: Final = frozenset({"stop", "length", "tool_calls", "content_filter", "function_call"})


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)


def _as_text(value: object) -> object:
    """Some endpoints send the arguments as an object instead of its text."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


class _Function(_Reply):
    name: str = ""
    arguments: Annotated[str, BeforeValidator(_as_text)] = ""


class _Call(_Reply):
    id: str = ""
    function: _Function = _Function()


class _Message(_Reply):
    content: str | None = None
    tool_calls: tuple[_Call, ...] | None = None


class _Choice(_Reply):
    message: _Message
    finish_reason: str | None = None


class _Usage(_Reply):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(_Reply):
    choices: tuple[_Choice, ...] = Field(min_length=1)
    usage: _Usage | None = None


def read_reply(body: bytes) -> Completed:
    """The first choice of a chat completion. Raises pydantic's `ValidationError`."""
    reply = _Completion.model_validate_json(body)
    choice, usage = reply.choices[0], reply.usage or _Usage()
    calls = tuple(
        ToolCall(call.id or f"call_{place}", call.function.name, call.function.arguments)
        for place, call in enumerate(choice.message.tool_calls or ())
    )
    return Completed(
        turn=Turn(text=choice.message.content or "", tool_calls=calls),
        finish_reason=choice.finish_reason if choice.finish_reason in KNOWN_FINISH_REASONS else "other",
        input_tokens=max(0, usage.prompt_tokens or 0),
        output_tokens=max(0, usage.completion_tokens or 0),
    )
