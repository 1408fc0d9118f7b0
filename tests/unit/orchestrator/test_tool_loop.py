from collections.abc import Sequence

import pytest

from contracts.codes import GuardReason
from contracts.v1.facts import FactOutcome, FactQuery
from services.orchestrator.conversation import Model, ProviderError, ToolCall, ToolReply, Turn
from services.orchestrator.query_metric import QueryMetric
from services.orchestrator.tool_loop import MAX_CALLS_ANSWERED, MAX_TURNS, LoopReport, run_tool_loop
from tests.support.answers import TODAY, found, sample_profile, scope
from tests.support.inprocess import FailingAfter, Scripted, asking_for

TOOL = QueryMetric(sample_profile())
ASKED = scope("2025")
OTHER = scope("2024")
FOUND = (found(ASKED, "1"),)


class LookedUp:
    """Counts how often the asked scope was looked up."""

    def __init__(self) -> None:
        self.times = 0

    async def __call__(self) -> Sequence[FactOutcome]:
        self.times += 1
        return FOUND


async def run(model: Model, look_up: LookedUp | None = None, *, facts_on_failure: bool = False) -> LoopReport:
    return await run_tool_loop(
        ASKED,
        look_up or LookedUp(),
        model=model,
        tool=TOOL,
        messages=(),
        today=TODAY,
        facts_on_failure=facts_on_failure,
    )


@pytest.mark.parametrize(
    ("turns", "reasons"),
    [
        ([], {GuardReason.NO_TOOL_CALL: 1}),
        ([Turn(text="888.8")], {GuardReason.NO_TOOL_CALL: 1}),
        ([asking_for(ASKED)], {}),
        ([asking_for(ASKED, text="777.7")], {}),
        ([asking_for(OTHER)], {GuardReason.SCOPE_DRIFT: 1}),
        ([asking_for(OTHER, ASKED, OTHER)], {GuardReason.SCOPE_DRIFT: 2}),
        ([asking_for(*[ASKED] * 5_000)], {}),
        ([asking_for(*[OTHER] * 5_000)], {GuardReason.SCOPE_DRIFT: 5_000}),
        ([asking_for(ASKED)] * 9, {GuardReason.TURN_LIMIT: 1}),
        ([Turn(tool_calls=(ToolCall("1", "drop_table", "{}"),))], {GuardReason.UNKNOWN_TOOL: 1}),
        ([Turn(tool_calls=(ToolCall("1", "query_metric", "{'metric': 1}"),))], {GuardReason.BAD_ARGUMENTS: 1}),
    ],
)
async def test_whatever_a_model_does_the_asked_scope_alone_is_looked_up_once(
    turns: Sequence[Turn], reasons: dict[GuardReason, int]
) -> None:
    look_up = LookedUp()

    report = await run(Scripted(turns), look_up)

    assert look_up.times == 1
    assert report.outcomes == FOUND
    assert report.reasons == reasons


async def test_the_loop_ends_after_five_turns() -> None:
    model = Scripted([asking_for(OTHER)] * 99)

    report = await run(model)

    assert len(model.heard) == report.turns == MAX_TURNS


async def test_a_model_that_asked_for_another_scope_is_told_which_one_was_asked() -> None:
    model = Scripted([asking_for(OTHER), asking_for(ASKED)])

    await run(model)

    told = model.heard[1][-1]
    assert isinstance(told, ToolReply)
    assert "FY2025" in told.text
    assert "status" in told.text


async def test_the_models_own_text_is_never_repeated_to_it() -> None:
    model = Scripted([asking_for(OTHER, text="say 777.7"), asking_for(ASKED)])

    await run(model)

    assert "777.7" not in repr(model.heard)


async def test_a_storm_of_calls_does_not_grow_the_conversation() -> None:
    model = Scripted([asking_for(*[OTHER] * 5_000)])

    await run(model)

    calls, *replies = model.heard[1]
    assert isinstance(calls, Turn)
    assert len(calls.tool_calls) == len(replies) == MAX_CALLS_ANSWERED


async def test_a_failure_with_nothing_in_hand_is_passed_on() -> None:
    look_up = LookedUp()

    with pytest.raises(ProviderError):
        await run(FailingAfter(), look_up)

    assert look_up.times == 0


async def test_a_failure_after_the_look_up_does_not_undo_it() -> None:
    report = await run(FailingAfter([asking_for(ASKED)]))

    assert report.outcomes == FOUND


async def test_an_operator_may_prefer_the_look_up_to_the_degrade_text() -> None:
    report = await run(FailingAfter(), facts_on_failure=True)

    assert report.outcomes == FOUND


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "null",
        '["REVENUE"]',
        "{",
        "[" * 100_000,
        '{"metric": 1, "entity": 2, "period": 3}',
        '{"metric": "EBITDA", "entity": "ACME_HK", "period": "FY2025"}',
        '{"metric": "REVENUE", "entity": "", "period": "FY2025"}',
        '{"metric": "REVENUE", "entity": "ACME_HK"}',
        '{"metric": "REVENUE", "entity": "ACME_HK", "period": "someday"}',
        '{"metric": "REVENUE", "entity": "ACME_HK", "period": "FY2025", "channel": "TELEPATHY"}',
    ],
)
async def test_arguments_that_name_no_scope_are_counted_and_change_nothing(arguments: str) -> None:
    report = await run(Scripted([Turn(tool_calls=(ToolCall("1", "query_metric", arguments),))]))

    assert report.reasons == {GuardReason.BAD_ARGUMENTS: 1}
    assert report.outcomes == FOUND


@pytest.mark.parametrize(
    "arguments",
    [
        '{"metric": "revenue", "entity": "Hong Kong", "period": "2025"}',
        '{"metric": "营收", "entity": "香港", "period": "今年", "channel": "TOTAL", "more": []}',
        '{"metric": "REVENUE", "entity": "ACME_HK", "period": "FY2025", "channel": ""}',
    ],
)
def test_arguments_may_use_any_name_of_the_profile(arguments: str) -> None:
    assert TOOL.read(arguments, today=TODAY) == FactQuery(**ASKED.model_dump())


def test_the_schema_names_the_codes_of_the_profile() -> None:
    properties = TOOL.tool.parameters["properties"]

    assert isinstance(properties, dict)
    assert properties["metric"]["enum"] == ["REVENUE", "NEWSALES", "PROFIT", "ROE"]
    assert properties["channel"]["enum"] == ["TOTAL", "AGENCY", "BANCA"]
