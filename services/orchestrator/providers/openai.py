"""`RAGSPINE_LLM=openai`: one attempt at one model call, by the official SDK, against any compatible endpoint.

Replies are bounded and checked before anything reads them; redirects are not followed, so that only the configured host
is ever spoken to. Every failure is a `ProviderError` with a code and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, assert_never

import openai
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolUnionParam

from services.orchestrator.conversation import (
    Instructions,
    Message,
    Tool,
    ToolReply,
    Turn,
    UserText,
)
from services.orchestrator.providers.failures import SdkErrors, read_bounded, read_turn
from services.orchestrator.providers.openai_reply import read_reply
from services.orchestrator.providers.ports import Completed

OWN_BASE_URL: Final = "https://api.openai.com/v1"

_ERRORS: Final = SdkErrors(openai.APITimeoutError, openai.APIConnectionError, openai.OpenAIError)


@dataclass(frozen=True, slots=True, repr=False)
class OpenAIProvider:
    """A `Provider` over one client and one model name."""

    client: openai.AsyncOpenAI
    model: str

    @property
    def name(self) -> str:
        """For metrics and traces."""
        return "openai"

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool], *, timeout_seconds: float
    ) -> Completed:
        """One turn. Raises `ProviderError`."""
        return await read_turn(_ERRORS, self._post(messages, tools, timeout_seconds), read_reply)

    async def _post(self, messages: Sequence[Message], tools: Sequence[Tool], timeout_seconds: float) -> bytes:
        create = self.client.chat.completions.with_streaming_response.create
        async with create(
            model=self.model,
            messages=[_message(message) for message in messages],
            tools=[_tool(tool) for tool in tools] if tools else openai.omit,
            timeout=timeout_seconds,
        ) as response:
            return await read_bounded(response.iter_bytes())


class _Client(openai.AsyncOpenAI):
    """The SDK's client without what it takes from `OPENAI_*` variables: those are meant for other programs."""

    def __init__(self, api_key: str, base_url: str, timeout_seconds: float) -> None:
        super().__init__(
            api_key=api_key,
            base_url=base_url,
            timeout=timeout_seconds,
            max_retries=0,  # retries are ours: budgeted, and inside the deadline
            http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False, trust_env=False),
        )
        self.organization = self.project = None
        self._custom_headers = {}


def make_openai(*, base_url: str | None, model: str, api_key: str, timeout_seconds: float) -> OpenAIProvider:
    """A provider for an endpoint; without `base_url` that of OpenAI."""
    client = _Client(api_key, base_url or OWN_BASE_URL, timeout_seconds)
    return OpenAIProvider(client, model)


def _message(message: Message) -> ChatCompletionMessageParam:
    match message:
        case Instructions(text):
            return {"role": "system", "content": text}
        case UserText(text):
            return {"role": "user", "content": text}
        case ToolReply(call_id, text):
            return {"role": "tool", "tool_call_id": call_id, "content": text}
        case Turn(text, ()):
            return {"role": "assistant", "content": text}
        case Turn(text, calls):
            return {
                "role": "assistant",
                "content": text or None,
                "tool_calls": [
                    {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                    for call in calls
                ],
            }
        case _:
            assert_never(message)


def _tool(tool: Tool) -> ChatCompletionToolUnionParam:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
    }
