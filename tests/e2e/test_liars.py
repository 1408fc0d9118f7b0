"""Lying models behind a whole stack, asked over the bus: no digit of theirs gets out, no asked scope gets lost."""

from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import httpx
import pytest

from contracts.client import NatsClient
from contracts.codes import AnswerKind, GuardReason, Locale
from contracts.v1.ask import AnswerResult, AskRequest
from contracts.v1.facts import FactOutcome, FactQuery, QueryFacts
from tests.properties.liars import behaviour
from tests.properties.promise import broken
from tests.support.answers import TODAY, sample_profile, scope
from tests.support.facts import row
from tests.support.inprocess import StoredFacts
from tests.support.scripted_model import ScriptedModel, model_settings, scripted_model_in_thread
from tests.support.stacks import Stack, running_stack

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(600)]

SEEDS = range(20_000, 20_330)
"""Beyond those that run in process."""

FACTS = (
    row("2024", "731.25"),
    row("2023", "0.00001234", doc="old.xlsx"),
    row("2022", "1.5", doc="one.xlsx"),
    row("2022", "2.5", doc="two.xlsx"),
    row("2024", "12.50", metric="ROE", unit="PCT", doc="ratios.pdf"),
    row("2024", "64.4", metric="NEWSALES", channel="AGENCY", doc="sales.csv"),
)


@dataclass(frozen=True)
class Asked:
    """A question, and the scopes that its answer must show."""

    question: str
    scopes: Sequence[FactQuery]


QUESTIONS = (
    Asked("香港2024营收", (scope("2024"),)),
    Asked("香港2023年营收是多少", (scope("2023"),)),
    Asked("香港2022营收", (scope("2022"),)),  # two sources that disagree
    Asked("香港2025营收", (scope("2025"),)),  # nothing is loaded
    Asked("香港2024年净资产收益率", (scope("2024", metric="ROE"),)),
    Asked("香港2024代理渠道新签金额", (scope("2024", metric="NEWSALES", channel="AGENCY"),)),
    Asked("香港2024营收为什么下降", (scope("2024"),)),
    Asked("香港2024年与2023年营收", (scope("2024"), scope("2023"))),
)


@pytest.fixture(scope="module")
def model() -> Generator[ScriptedModel]:
    with scripted_model_in_thread() as served:
        yield served


@pytest.fixture(scope="module")
def stack(model: ScriptedModel) -> Generator[Stack]:
    with running_stack(environment=model_settings(model.url)) as running:
        rows = [fact.model_dump(mode="json") for fact in FACTS]
        reply = httpx.post(f"{running.http_url}/v1/facts", json={"facts": rows}, timeout=20)
        assert reply.status_code == 200, reply.text
        yield running


async def test_no_lying_model_puts_a_number_into_an_answer_or_keeps_one_out(stack: Stack, model: ScriptedModel) -> None:
    seen: list[AnswerResult] = []
    said = 0

    async with NatsClient(stack.state["nats_url"]) as client:
        for place, seed in enumerate(SEEDS):
            asked = QUESTIONS[place % len(QUESTIONS)]
            model.play(behaviour(seed))
            result = await client.ask(_request(asked.question, seed))  # an error of any kind ends the test
            assert broken(asked.scopes, await _stored(asked.scopes), result) == [], f"seed {seed}: {asked.question}"
            seen.append(result)
            said += len(model.requests)

    kinds = Counter(result.answer_kind for result in seen)
    reasons = {reason for result in seen for reason in result.guard.reasons}
    assert len(seen) >= 300
    assert set(kinds) == {AnswerKind.NORMAL, AnswerKind.REFUSAL, AnswerKind.DEGRADED}
    assert kinds[AnswerKind.DEGRADED] < len(seen) / 5
    assert reasons == set(GuardReason) - {GuardReason.PROSE_NUMBER}  # and so the models did lie
    assert said > len(seen)


def _request(question: str, seed: int) -> AskRequest:
    return AskRequest(question=question, reference_date=TODAY, locale=Locale.ZH, request_id=f"seed-{seed}")


async def _stored(scopes: Sequence[FactQuery]) -> Sequence[FactOutcome]:
    """What a look-up of the loaded facts gives, worked out without the service."""
    query = QueryFacts(queries=tuple(scopes), profile_digest=sample_profile().digest())
    return (await StoredFacts(FACTS).query(query)).outcomes
