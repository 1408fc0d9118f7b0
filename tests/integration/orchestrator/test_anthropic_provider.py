"""The official Anthropic SDK against an endpoint on loopback."""

from collections.abc import AsyncGenerator

import pytest

from services.orchestrator.conversation import Instructions, ToolCall, ToolReply, Turn, UserText
from services.orchestrator.providers.anthropic import OWN_BASE_URL, AnthropicProvider, make_anthropic, spoken
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
async def provider(endpoint: ScriptedModel) -> AsyncGenerator[AnthropicProvider]:
    made = make_anthropic(base_url=endpoint.url, model="m-1", api_key=KEY, timeout_seconds=5.0)
    yield made
    await made.client.close()


async def turn(provider: AnthropicProvider) -> Completed:
    return await provider.complete(ASKED, (TOOL,), timeout_seconds=5.0)


async def test_a_turn_is_read_with_its_calls_and_usage(endpoint: ScriptedModel, provider: AnthropicProvider) -> None:
    endpoint.play([{"text": "777.7", "tool_calls": [CALL]}])

    completed = await turn(provider)

    [call] = completed.turn.tool_calls
    assert (call.name, completed.turn.text) == ("query_metric", "777.7")
    assert '"ACME_HK"' in call.arguments
    assert (completed.finish_reason, completed.input_tokens, completed.output_tokens) == ("tool_use", 11, 7)


async def test_the_whole_conversation_and_the_tool_are_sent(
    endpoint: ScriptedModel, provider: AnthropicProvider
) -> None:
    said = Turn("", (ToolCall("c1", "query_metric", '{"metric": "REVENUE"}'),))

    await provider.complete((*ASKED, said, ToolReply("c1", "no")), (TOOL,), timeout_seconds=5.0)

    [request] = endpoint.requests
    assert request["system"] == "help"
    assert [message["role"] for message in request["messages"]] == ["user", "assistant", "user"]
    assert request["messages"][1]["content"][0]["input"] == {"metric": "REVENUE"}
    assert request["messages"][2]["content"][0]["tool_use_id"] == "c1"
    assert request["tools"][0]["name"] == "query_metric"
    assert (request["model"], endpoint.keys) == ("m-1", [f"Bearer {KEY}"])


def test_turns_of_one_role_are_one_and_the_user_speaks_first() -> None:
    history = [Turn("a"), Turn(" "), UserText("b"), UserText("c"), Turn("d"), UserText("e")]

    assert [message["role"] for message in spoken(history)] == ["user", "assistant", "user", "assistant", "user"]


def test_broken_arguments_go_back_as_an_object() -> None:
    [message] = spoken([Turn("", (ToolCall("c", "q", "[1"),))])[1:]

    assert message["content"] == [{"type": "tool_use", "id": "c", "name": "q", "input": {}}]


@pytest.mark.parametrize(
    "raw",
    [
        '{"content": []}',
        '{"content": [{"type": "thinking", "thinking": "9"}], "usage": null, "stop_reason": "new"}',
        '{"content": [{"type": "text", "text": ""}], "model": "the question itself", "usage": {"input_tokens": null}}',
    ],
)
async def test_endpoints_may_leave_out_what_is_not_used(
    endpoint: ScriptedModel, provider: AnthropicProvider, raw: str
) -> None:
    endpoint.play([{"raw": raw}])

    assert await turn(provider) == Completed(Turn(), finish_reason="other", input_tokens=0, output_tokens=0)


async def test_variables_of_other_programs_decide_nothing(
    endpoint: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    ambient = {"BASE_URL": "http://127.0.0.1:9/", "API_KEY": "k-x", "AUTH_TOKEN": "t-x", "PROFILE": "p-x"}
    ambient |= {"CUSTOM_HEADERS": "X-Foreign: org-x\nX-Api-Key: k-x", "OPEN_TELEMETRY_TRACES_CONTENT_MODE": "content"}
    for name, value in ambient.items():
        monkeypatch.setenv(f"ANTHROPIC_{name}", value)
    made = make_anthropic(base_url=endpoint.url, model="m", api_key=KEY, timeout_seconds=1.0)
    default = make_anthropic(base_url=None, model="m", api_key=KEY, timeout_seconds=1.0)

    await turn(made)

    assert str(default.client.base_url).startswith(OWN_BASE_URL)
    assert endpoint.keys == [f"Bearer {KEY}"]
    assert "-x" not in " ".join(endpoint.headers[0].values())
    assert "traceparent" not in endpoint.headers[0]
