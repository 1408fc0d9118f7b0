"""Both official SDKs against an endpoint on loopback that breaks in every way: a code comes out, and nothing else."""

import asyncio
from collections.abc import AsyncGenerator
from time import perf_counter

import pytest

from services.orchestrator.conversation import Instructions, ProviderError, UserText
from services.orchestrator.providers.anthropic import make_anthropic
from services.orchestrator.providers.failures import MAX_REPLY_BYTES
from services.orchestrator.providers.openai import make_openai
from services.orchestrator.providers.ports import Provider
from services.orchestrator.query_metric import QueryMetric
from tests.support.answers import sample_profile
from tests.support.scripted_model import ScriptedModel, scripted_model

KEY = "sk-planted-key"
TOOL = QueryMetric(sample_profile()).tool
ASKED = (Instructions("help"), UserText("香港2024营收"))
MAKERS = {"openai": make_openai, "anthropic": make_anthropic}


@pytest.fixture
async def endpoint() -> AsyncGenerator[ScriptedModel]:
    async with scripted_model() as model:
        yield model


@pytest.fixture(params=sorted(MAKERS))
async def provider(endpoint: ScriptedModel, request: pytest.FixtureRequest) -> AsyncGenerator[Provider]:
    made = MAKERS[request.param](base_url=endpoint.url, model="m-1", api_key=KEY, timeout_seconds=5.0)
    yield made
    await made.client.close()


@pytest.mark.parametrize(
    ("fault", "reason", "is_unprocessed"),
    [
        ({"error": "provider"}, "status_500", False),
        ({"error": "crash"}, "connection", False),
        ({"text": "x" * 200, "cut": True}, "connection", False),
        ({"status": 429, "headers": {"retry-after": "7"}}, "status_429", True),
        ({"status": 503}, "status_503", True),
        ({"status": 529}, "status_529", True),
        ({"status": 401}, "status_401", False),
        ({"status": 302, "headers": {"location": "http://127.0.0.1:1/"}}, "status_302", False),
        ({"raw": "{"}, "malformed_reply", False),
        ({"raw": ""}, "malformed_reply", False),
        ({"raw": "null"}, "malformed_reply", False),
        ({"raw": '{"choices": [], "content": 5}'}, "malformed_reply", False),
        ({"raw": '{"choices": [{"message": {"content": 5}}], "content": [{"type": 5}]}'}, "malformed_reply", False),
        ({"raw": "[" * 100_000}, "malformed_reply", False),
        ({"huge": MAX_REPLY_BYTES}, "reply_too_large", False),
        ({"hang": 5}, "timeout", False),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_every_fault_is_a_provider_error_with_a_code(
    endpoint: ScriptedModel, provider: Provider, fault: dict[str, object], reason: str, is_unprocessed: bool
) -> None:
    endpoint.play([fault])

    with pytest.raises(ProviderError) as raised:
        await provider.complete(ASKED, (TOOL,), timeout_seconds=0.5)

    assert (raised.value.reason, raised.value.is_unprocessed) == (reason, is_unprocessed)
    assert raised.value.__cause__ is None


async def test_retry_after_is_read(endpoint: ScriptedModel, provider: Provider) -> None:
    endpoint.play([{"status": 429, "headers": {"retry-after": "7"}}])

    with pytest.raises(ProviderError) as raised:
        await provider.complete(ASKED, (), timeout_seconds=5.0)

    assert raised.value.retry_after_seconds == 7


@pytest.mark.parametrize("name", sorted(MAKERS))
async def test_an_endpoint_that_is_not_there_did_nothing(name: str) -> None:
    provider = MAKERS[name](base_url="http://127.0.0.1:9/v1", model="m", api_key=KEY, timeout_seconds=1.0)

    with pytest.raises(ProviderError) as raised:
        await provider.complete(ASKED, (), timeout_seconds=1.0)

    assert (raised.value.reason, raised.value.is_unprocessed) == ("connection", True)


async def test_a_storm_of_calls_is_read_as_it_came(endpoint: ScriptedModel, provider: Provider) -> None:
    endpoint.play([{"storm": 500}])

    completed = await provider.complete(ASKED, (TOOL,), timeout_seconds=5.0)

    assert len({call.id for call in completed.turn.tool_calls}) == 500


async def test_an_empty_turn_is_a_turn(endpoint: ScriptedModel, provider: Provider) -> None:
    endpoint.play([{"text": ""}])

    completed = await provider.complete(ASKED, (), timeout_seconds=5.0)

    assert (completed.turn.text, completed.turn.tool_calls, completed.input_tokens) == ("", (), 11)


async def test_a_reply_that_drips_is_left_when_its_time_is_over(endpoint: ScriptedModel, provider: Provider) -> None:
    endpoint.play([{"text": "x" * 10_000, "drip": 0.2}])
    start = perf_counter()

    with pytest.raises(TimeoutError):  # the SDK counts the time between pieces; the gate that of the whole call
        async with asyncio.timeout(0.5):
            await provider.complete(ASKED, (), timeout_seconds=0.5)

    assert perf_counter() - start < 2


async def test_no_key_shows_in_a_repr(provider: Provider) -> None:
    assert KEY not in repr(provider)
