"""The official SDK against an endpoint on loopback that answers, lies and breaks."""

from collections.abc import AsyncGenerator

import pytest

from services.orchestrator.conversation import (
    Instructions,
    ToolCall,
    ToolReply,
    Turn,
    UserText,
)
from services.orchestrator.providers.openai import OWN_BASE_URL, OpenAIProvider, make_openai
from services.orchestrator.providers.ports import Completed
from services.orchestrator.query_metric import QueryMetric
from tests.support.answers import sample_profile
from tests.support.scripted_model import ScriptedModel, scripted_model

KEY = "sk-planted-key"
TOOL = QueryMetric(sample_profile()).tool
ASKED = (Instructions("help"), UserText("香港2024营收"))
CALL = {"arguments": {"metric": "REVENUE", "entity": "ACME_HK", "period": "FY2024"}}


@pytest.fixture
async def endpoint() -> AsyncGenerator[ScriptedModel]:
    async with scripted_model() as model:
        yield model


@pytest.fixture
async def provider(endpoint: ScriptedModel) -> AsyncGenerator[OpenAIProvider]:
    made = make_openai(base_url=endpoint.url, model="m-1", api_key=KEY, timeout_seconds=5.0)
    yield made
    await made.client.close()


async def turn(provider: OpenAIProvider, *, seconds: float = 5.0) -> Completed:
    return await provider.complete(ASKED, (TOOL,), timeout_seconds=seconds)


async def test_a_turn_is_read_with_its_calls_and_usage(endpoint: ScriptedModel, provider: OpenAIProvider) -> None:
    endpoint.play([{"text": "777.7", "tool_calls": [CALL]}])

    completed = await turn(provider)

    [call] = completed.turn.tool_calls
    assert (call.name, completed.turn.text) == ("query_metric", "777.7")
    assert (completed.finish_reason, completed.input_tokens, completed.output_tokens) == ("tool_calls", 11, 7)


async def test_the_whole_conversation_and_the_tool_are_sent(endpoint: ScriptedModel, provider: OpenAIProvider) -> None:
    said = Turn("", (ToolCall("c1", "query_metric", "{}"),))

    await provider.complete((*ASKED, said, ToolReply("c1", "no"), Turn("ok")), (TOOL,), timeout_seconds=5.0)

    [request] = endpoint.requests
    assert [message["role"] for message in request["messages"]] == ["system", "user", "assistant", "tool", "assistant"]
    assert request["model"] == "m-1"
    assert request["tools"][0]["function"]["name"] == "query_metric"
    assert endpoint.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize(
    "raw",
    [
        '{"choices": [{"message": {"content": null, "tool_calls": null}}]}',
        '{"choices": [{"message": {}, "finish_reason": "eos"}], "usage": {"prompt_tokens": null}}',
        '{"choices": [{"message": {"content": ""}}], "model": "the question itself", "usage": null}',
    ],
)
async def test_endpoints_may_leave_out_what_is_not_used(
    endpoint: ScriptedModel, provider: OpenAIProvider, raw: str
) -> None:
    endpoint.play([{"raw": raw}])

    completed = await turn(provider)

    assert completed == Completed(Turn(), finish_reason="other", input_tokens=0, output_tokens=0)


async def test_arguments_that_come_as_an_object_are_read(endpoint: ScriptedModel, provider: OpenAIProvider) -> None:
    raw = '{"choices": [{"message": {"tool_calls": [{"function": {"name": "q", "arguments": {"a": 1}}}]}}]}'
    endpoint.play([{"raw": raw}])

    completed = await turn(provider)

    assert completed.turn.tool_calls == (ToolCall("call_0", "q", '{"a": 1}'),)


async def test_variables_of_other_programs_decide_nothing(
    endpoint: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    ambient = {"BASE_URL": "http://127.0.0.1:9/", "ORG_ID": "org-x", "PROJECT_ID": "p-x", "API_KEY": "k-x"}
    ambient |= {"ADMIN_KEY": "k-x", "CUSTOM_HEADERS": "X-Foreign: org-x\nAuthorization: Bearer k-x"}
    for name, value in ambient.items():
        monkeypatch.setenv(f"OPENAI_{name}", value)
    made = make_openai(base_url=endpoint.url, model="m", api_key=KEY, timeout_seconds=1.0)
    default = make_openai(base_url=None, model="m", api_key=KEY, timeout_seconds=1.0)

    await turn(made)

    assert str(default.client.base_url).startswith(OWN_BASE_URL)
    assert endpoint.keys == [f"Bearer {KEY}"]
    assert "-x" not in " ".join(endpoint.headers[0].values())


async def test_no_key_shows_in_a_repr(provider: OpenAIProvider) -> None:
    assert KEY not in repr(provider)
