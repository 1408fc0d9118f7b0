"""The promise on the whole flow: a model that asks for what it likes, and a facts worker that replies what it likes."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from contracts.codes import AnswerKind, Route
from contracts.v1.ask import AssumedSlots
from contracts.v1.facts import FactOutcome, FactQuery
from contracts.v1.intent import ParsedIntent
from services.orchestrator.flow import answer
from services.orchestrator.subtasks import expand
from tests.properties.promise import facts_for, numbers, violations
from tests.properties.strategies import OTHER_PERIODS, YEARS, outcomes_of, scopes
from tests.support.answers import ask, period, sample_profile
from tests.support.inprocess import FixedFacts, FixedIntent, Scripted, asking_for, ports

PROFILE = sample_profile()
QUESTION = "营收"

some_periods = st.lists(st.sampled_from([*YEARS, *OTHER_PERIODS]), max_size=3, unique=True).map(
    lambda texts: [period(t) for t in texts]
)


@st.composite
def slots(draw: st.DrawFn) -> ParsedIntent:
    return ParsedIntent(
        route=draw(st.sampled_from([Route.STRUCTURED, Route.COMPOSITE])),
        metrics=("REVENUE", "ROE_2")[: draw(st.integers(1, 2))],
        entities=("ACME_HK", "7X")[: draw(st.integers(0, 2))],
        periods=tuple(draw(some_periods)),
        channels=("TOTAL", "B2B")[: draw(st.integers(0, 2))],
        profile_digest=PROFILE.digest(),
    )


@st.composite
def worlds(draw: st.DrawFn) -> tuple[ParsedIntent, Sequence[FactOutcome], Sequence[FactQuery]]:
    """Slots, whatever the facts worker replies, and whatever the model asks for."""
    read = draw(slots())
    asked = expand(read, AssumedSlots(entity="ACME_GROUP", period=period("2024")))
    replied = [*draw(st.lists(st.sampled_from(asked), unique=True)), *draw(st.lists(scopes, max_size=2))]
    return read, [draw(outcomes_of(scope)) for scope in replied], draw(st.lists(scopes, max_size=2))


@given(worlds())
async def test_no_reply_and_no_model_can_put_a_number_into_an_answer_or_keep_one_out(
    world: tuple[ParsedIntent, Sequence[FactOutcome], Sequence[FactQuery]],
) -> None:
    read, outcomes, proposals = world
    facts = FixedFacts(outcomes)
    model = Scripted([asking_for(*proposals, text="9,876.54")])

    result = await answer(ask(QUESTION), ports(FixedIntent(read), facts, model=model), PROFILE)

    [batch] = facts.asked
    asked = batch.queries
    banner, text = _split(result.answer)
    assert violations(asked, outcomes, text) == []
    assert set(numbers(banner)) <= {"2024", "2023", "1", "2"}
    assert set(result.sources) <= {fact.source for fact in facts_for(asked, outcomes)}
    assert len(result.tool_results) == sum(result.tool_status_summary.model_dump().values())
    assert (result.answer_kind is AnswerKind.NORMAL) == bool(result.sources)


def _split(text: str) -> tuple[str, str]:
    if not text.startswith("【假设】"):
        return "", text
    banner, _, rest = text.partition("\n")
    return banner, rest
