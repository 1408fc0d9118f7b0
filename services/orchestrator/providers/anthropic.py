"""`RAGSPINE_LLM=anthropic`: one attempt at one model call, by the official SDK.

Replies are bounded and checked before anything reads them; redirects are not followed, so that only the configured host
is ever spoken to. Every failure is a `ProviderError` with a code and nothing else.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal, assert_never

import anthropic
from anthropic.types import ContentBlockParam, MessageParam, ToolParam

from services.orchestrator.conversation import Instructions, Message, Tool, ToolReply, Turn, UserText
from services.orchestrator.providers.anthropic_reply import arguments_of, read_reply
from services.orchestrator.providers.failures import SdkErrors, read_bounded, read_turn
from services.orchestrator.providers.ports import Completed

OWN_BASE_URL: Final = "https://api.anthropic.com"

MAX_OUTPUT_TOKENS: Final = 2_048
"""The protocol wants a limit; an answer of a few paragraphs, or a handful of calls, needs less."""

_ERRORS: Final = SdkErrors(anthropic.APITimeoutError, anthropic.APIConnectionError, anthropic.AnthropicError)
_VERSION_OF_PATH: Final = "/v1"


@dataclass(frozen=True, slots=True, repr=False)
class AnthropicProvider:
    """A `Provider` over one client and one model name."""

    client: anthropic.AsyncAnthropic
    model: str

    @property
    def name(self) -> str:
        """For metrics and traces."""
        return "anthropic"

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool], *, timeout_seconds: float
    ) -> Completed:
        """One turn. Raises `ProviderError`."""
        return await read_turn(_ERRORS, self._post(messages, tools, timeout_seconds), read_reply)

    async def _post(self, messages: Sequence[Message], tools: Sequence[Tool], timeout_seconds: float) -> bytes:
        rules = "\n\n".join(message.text for message in messages if isinstance(message, Instructions))
        create = self.client.messages.with_streaming_response.create
        async with create(
            model=self.model,
            max_tokens=MAX_OUTPUT_TOKENS,
            system=rules or anthropic.omit,
            messages=spoken(messages),
            tools=[_tool(tool) for tool in tools] if tools else anthropic.omit,
            timeout=timeout_seconds,
        ) as response:
            return await read_bounded(response.iter_bytes())


class _Client(anthropic.AsyncAnthropic):
    """The SDK's client without what it takes from `ANTHROPIC_*` variables, and without spans of its own."""

    def __init__(self, api_key: str, base_url: str, timeout_seconds: float) -> None:
        super().__init__(
            api_key=api_key,
            base_url=base_url,
            timeout=timeout_seconds,
            max_retries=0,  # retries are ours: budgeted, and inside the deadline
            http_client=anthropic.DefaultAsyncHttpxClient(follow_redirects=False, trust_env=False),
            open_telemetry=False,  # its spans may carry content, and its headers would tell the provider our trace
        )
        self._custom_headers = {}


def make_anthropic(*, base_url: str | None, model: str, api_key: str, timeout_seconds: float) -> AnthropicProvider:
    """A provider for an endpoint; without `base_url` that of Anthropic."""
    root = (base_url or OWN_BASE_URL).rstrip("/").removesuffix(_VERSION_OF_PATH)
    return AnthropicProvider(_Client(api_key, root, timeout_seconds), model)


_Role = Literal["user", "assistant"]


def spoken(messages: Iterable[Message]) -> list[MessageParam]:
    """The turns as the protocol wants them: the user first, then one turn each; none is empty."""
    blocks = [block for message in messages for block in _blocks(message)]
    by_role = groupby(blocks, key=_role_of)
    turns = [_said(role, [block for _, block in group]) for role, group in by_role]
    if turns and turns[0]["role"] == "assistant":
        turns.insert(0, {"role": "user", "content": "(earlier)"})
    return turns


def _role_of(block: tuple[_Role, ContentBlockParam]) -> _Role:
    return block[0]


def _said(role: _Role, content: list[ContentBlockParam]) -> MessageParam:
    return {"role": "user", "content": content} if role == "user" else {"role": "assistant", "content": content}


def _blocks(message: Message) -> Iterator[tuple[_Role, ContentBlockParam]]:
    match message:
        case Instructions():
            return
        case UserText(text):
            yield "user", {"type": "text", "text": text}
        case ToolReply(call_id, text):
            yield "user", {"type": "tool_result", "tool_use_id": call_id, "content": text}
        case Turn(text, calls):
            if text.strip():
                yield "assistant", {"type": "text", "text": text.rstrip()}
            for call in calls:
                yield (
                    "assistant",
                    {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments_of(call.arguments)},
                )
        case _:
            assert_never(message)


def _tool(tool: Tool) -> ToolParam:
    return {"name": tool.name, "description": tool.description, "input_schema": {"type": "object", **tool.parameters}}
