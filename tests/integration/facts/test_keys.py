"""What loading, loading again, restating and withdrawing mean, on a real Postgres."""

import asyncio
from decimal import Decimal

import pytest

from contracts.codes import FactParam, FactStatus, PeriodType
from contracts.v1.facts import (
    Conflicting,
    FactSeries,
    FactsLoaded,
    FindNewest,
    Found,
    ListFacts,
    LoadFacts,
    QueryFacts,
    StoredFact,
    UnrecognizedParam,
    WithdrawFacts,
)
from domain.profile import CompanyProfile
from runtime.errors import InvalidRequestError, ProfileMismatchError
from tests.support.answers import sample_profile, scope
from tests.support.facts import Facts, facts_on, row

pytestmark = pytest.mark.connected


async def _stored(facts: Facts, **filters: str) -> tuple[StoredFact, ...]:
    return (await facts.service.listed(ListFacts(**filters))).facts  # type: ignore[arg-type]  # filters by name


async def _value(facts: Facts, text: str = "2024", **parts: str) -> str:
    outcome = await facts.ask(text, **parts)
    assert isinstance(outcome, Found)
    return format(outcome.fact.value, "f")


@pytest.mark.parametrize(
    "digits", ["1320", "1320.10", "1000000", "0.00001234", "-0.50", "9" * 30 + "." + "9" * 20, "100000000000000000000"]
)
async def test_a_value_comes_back_with_the_digits_it_was_loaded_with(facts: Facts, digits: str) -> None:
    await facts.load(row(value=digits))

    assert await _value(facts) == digits


async def test_each_asked_scope_gets_one_outcome_in_the_order_asked(facts: Facts) -> None:
    await facts.load(row("2023", "650"), row("2024", "731.25"))
    queries = (scope("2024"), scope("2019"), scope("2023", entity="ACME_XX"), scope("2023"))

    outcomes = (await facts.service.query(QueryFacts(queries=queries, profile_digest=facts.profile.digest()))).outcomes

    assert [outcome.query for outcome in outcomes] == list(queries)
    assert [outcome.status for outcome in outcomes] == [
        FactStatus.FOUND,
        FactStatus.NOT_FOUND,
        FactStatus.UNRECOGNIZED_PARAM,
        FactStatus.FOUND,
    ]


@pytest.mark.parametrize(
    ("parts", "param"),
    [
        ({"metric": "TURNOVER"}, FactParam.METRIC),
        ({"entity": "香港"}, FactParam.ENTITY),
        ({"channel": "BROKER"}, FactParam.CHANNEL),
        ({"metric": "x' OR '1'='1"}, FactParam.METRIC),
    ],
)
async def test_what_the_profile_does_not_know_is_named(facts: Facts, parts: dict[str, str], param: FactParam) -> None:
    outcome = await facts.ask(**parts)

    assert isinstance(outcome, UnrecognizedParam)
    assert (outcome.param, outcome.raw) == (param, next(iter(parts.values())))


async def test_another_profile_is_refused_before_any_look_up(facts: Facts) -> None:
    with pytest.raises(ProfileMismatchError):
        await facts.service.query(QueryFacts(queries=(scope("2024"),), profile_digest="0" * 16))


async def test_channels_are_kept_apart(facts: Facts) -> None:
    await facts.load(row(value="10"), row(value="4", channel="AGENCY"))

    assert await _value(facts) == "10"
    assert await _value(facts, channel="AGENCY") == "4"


async def test_loading_again_changes_nothing(facts: Facts) -> None:
    rows = (row("2023"), row("2024"))
    first = await facts.load(*rows)

    again = await facts.load(*rows)

    assert first == FactsLoaded(received=2, inserted=2, updated=0, unchanged=0)
    assert again == FactsLoaded(received=2, inserted=0, updated=0, unchanged=2)


async def test_a_restatement_in_another_document_erases_nothing(facts: Facts) -> None:
    await facts.load(row(value="100", doc="2023.pdf", valid_as_of="2024-03-31"))

    await facts.load(row(value="99", doc="2024.pdf", valid_as_of="2025-03-31"))

    assert await _value(facts) == "99"
    assert {(fact.source_doc_id, format(fact.value, "f")) for fact in await _stored(facts)} == {
        ("2023.pdf", "100"),
        ("2024.pdf", "99"),
    }


async def test_another_value_for_the_same_document_replaces_and_is_kept_as_history(facts: Facts) -> None:
    await facts.load(row(value="100", source_locator="p1"))
    await facts.load(row(value="101", source_locator="p2"))

    loaded = await facts.load(row(value="102", source_locator="p2", unit="HKD_M"))

    (fact,) = await _stored(facts)
    assert loaded == FactsLoaded(received=1, inserted=0, updated=1, unchanged=0)
    assert (format(fact.value, "f"), fact.unit) == ("102", "HKD_M")
    assert [(format(v.value, "f"), v.unit, v.source_locator) for v in fact.history] == [
        ("101", "USD_M", "p2"),
        ("100", "USD_M", "p1"),
    ]
    assert fact.history[0].replaced_at >= fact.history[0].ingested_at


async def test_the_same_number_with_other_digits_is_another_statement(facts: Facts) -> None:
    await facts.load(row(value="1.5"))

    loaded = await facts.load(row(value="1.50"))

    assert loaded.updated == 1
    assert await _value(facts) == "1.50"


async def test_a_withdrawn_document_answers_no_more_until_it_is_loaded_again(facts: Facts) -> None:
    await facts.load(row("2023"), row("2024"), row("2024", doc="other.pdf", entity="ACME_CN"))

    withdrawn = await facts.service.withdraw(WithdrawFacts(source_doc_id="review.pptx"))
    hidden = (await facts.ask()).status
    revived = await facts.load(row("2024"))

    assert withdrawn.withdrawn == 2
    assert hidden is FactStatus.NOT_FOUND
    assert revived == FactsLoaded(received=1, inserted=0, updated=0, unchanged=0, revived=1)
    assert (await facts.ask()).status is FactStatus.FOUND
    assert (await facts.ask("2023")).status is FactStatus.NOT_FOUND
    assert (await facts.ask(entity="ACME_CN")).status is FactStatus.FOUND


async def test_withdrawing_what_is_not_there_withdraws_nothing(facts: Facts) -> None:
    assert (await facts.service.withdraw(WithdrawFacts(source_doc_id="nobody.pdf"))).withdrawn == 0


@pytest.mark.parametrize("status", ["pending", "blocked", "rejected"])
async def test_only_approved_facts_answer(facts: Facts, status: str) -> None:
    await facts.load(row(review_status=status))
    before = (await facts.ask()).status

    await facts.load(row(review_status="approved"))

    assert before is FactStatus.NOT_FOUND
    assert (await facts.ask()).status is FactStatus.FOUND


async def test_sources_that_disagree_and_are_equally_new_are_all_shown(facts: Facts) -> None:
    await facts.load(row(value="10", doc="a.pdf"), row(value="11", doc="b.pdf"), row(value="10.0", doc="c.pdf"))

    outcome = await facts.ask()

    assert isinstance(outcome, Conflicting)
    assert [(fact.value, fact.source_doc_id) for fact in outcome.facts] == [
        (Decimal("10.0"), "c.pdf"),
        (Decimal(11), "b.pdf"),
    ]


async def test_other_codes_of_a_metric_answer_and_conflict(database: str) -> None:
    raw = sample_profile().model_dump(mode="json")
    raw["metrics"]["REVENUE"]["source_codes"] = ["SALES", "TURNOVER"]
    async with facts_on(database, profile=CompanyProfile.model_validate(raw)) as facts:
        await facts.load(row(value="10", metric="SALES"))
        assert await _value(facts) == "10"

        await facts.load(row(value="10", metric="TURNOVER", doc="t.pdf"))
        assert await _value(facts) == "10"

        await facts.load(row(value="12", metric="REVENUE", doc="r.pdf", valid_as_of="2025-01-01"))
        assert isinstance(await facts.ask(), Conflicting)
        assert len(await _stored(facts, metric="REVENUE")) == 3


async def test_unknown_codes_are_refused_row_by_row_and_nothing_is_loaded(facts: Facts) -> None:
    rows = (row("2023"), row(entity="ACME_XX"), row(metric="营收", channel="BROKER"))

    with pytest.raises(InvalidRequestError) as refused:
        await facts.load(*rows)

    assert [(problem.field, problem.reason) for problem in refused.value.problems] == [
        ("facts.1.entity", "not an entity of the profile"),
        ("facts.2.metric_code", "not a metric of the profile; write its code REVENUE"),
        ("facts.2.channel", "not a channel of the profile"),
    ]
    assert await _stored(facts) == ()


async def test_one_load_must_not_contradict_itself(facts: Facts) -> None:
    with pytest.raises(InvalidRequestError) as refused:
        await facts.load(row("2023"), row(value="1"), row(value="1"), row(value="2"))

    assert [problem.field for problem in refused.value.problems] == ["facts.3"]
    assert "facts.1" in refused.value.problems[0].reason
    assert await _stored(facts) == ()


async def test_equal_rows_of_one_load_count_once(facts: Facts) -> None:
    loaded = await facts.load(row(), row())

    assert loaded == FactsLoaded(received=2, inserted=1, updated=0, unchanged=1)


async def test_loads_and_withdrawals_of_the_same_facts_wait_for_each_other(facts: Facts) -> None:
    forward = tuple(row(str(year)) for year in range(2000, 2025))

    async def load(value: str) -> None:
        rows = [x.model_copy(update={"value": Decimal(value)}) for x in forward]
        await facts.load(*(rows if int(value) % 2 else reversed(rows)))

    async def withdraw() -> None:
        await facts.service.withdraw(WithdrawFacts(source_doc_id="review.pptx"))

    await asyncio.gather(*(load(str(n)) for n in range(6)), *(withdraw() for _ in range(3)))
    await load("7")

    stored = await _stored(facts)
    assert len(stored) == len(forward)
    assert {(str(fact.value), fact.withdrawn) for fact in stored} == {("7", False)}


async def test_the_longest_codes_and_sources_can_be_loaded_or_are_refused_by_name(facts: Facts) -> None:
    long_name = "长" * 800
    await facts.load(row(doc=long_name, source_locator="位" * 1024))

    with pytest.raises(InvalidRequestError) as refused:
        await facts.load(row(doc="长" * 1024))

    assert [problem.field for problem in refused.value.problems] == ["facts.0.source_doc_id"]
    outcome = await facts.ask()
    assert isinstance(outcome, Found)
    assert outcome.fact.source_doc_id == long_name


async def test_texts_with_separators_and_line_breaks_come_back_as_they_were(facts: Facts) -> None:
    odd = 'a\tb\nc\r\n\\N \\. "q", \u00a0é\u2028end'

    await facts.load(row(doc=odd, source_locator=odd))

    outcome = await facts.ask()
    assert isinstance(outcome, Found)
    assert (outcome.fact.source_doc_id, outcome.fact.source_locator) == (odd, odd)


async def test_a_listing_goes_on_where_the_page_before_ended(facts: Facts) -> None:
    await facts.service.load(LoadFacts(facts=tuple(row(str(year)) for year in range(2000, 2025))))

    pages = [await facts.service.listed(ListFacts(limit=10))]
    while pages[-1].next_after is not None:
        pages.append(await facts.service.listed(ListFacts(limit=10, after=pages[-1].next_after)))

    assert [len(page.facts) for page in pages] == [10, 10, 5]
    assert [fact.period for page in pages for fact in page.facts] == [str(year) for year in range(2000, 2025)]
    assert len(await _stored(facts, period="2011", entity="ACME_HK", metric="REVENUE")) == 1
    assert len(await _stored(facts, period="FY2011")) == 1
    assert await _stored(facts, entity="ACME_CN") == ()


async def test_the_newest_visible_periods_of_a_series_are_found_kind_by_kind(facts: Facts) -> None:
    quarters = [row(f"2024Q{n}", "1", period_type="QUARTER") for n in (1, 2, 3, 4)]
    await facts.load(*quarters, row("2023"), row("2024"), row("2025", review_status="pending"), row("2026", doc="gone"))
    await facts.load(row("2025Q1", "1", period_type="QUARTER", channel="AGENCY"))
    await facts.service.withdraw(WithdrawFacts(source_doc_id="gone"))
    series = (FactSeries(metric="REVENUE", entity="ACME_HK"), FactSeries(metric="REVENUE", entity="ACME_CN"))

    newest = await facts.service.newest(FindNewest(series=series, profile_digest=facts.profile.digest()))

    assert [[period.value for period in periods] for periods in newest.series] == [
        ["2024", "2023", "2024Q4", "2024Q3", "2024Q2"],
        [],
    ]


async def test_the_newest_periods_are_those_of_all_stored_codes_of_a_metric(database: str) -> None:
    profile = sample_profile()
    joined = profile.model_copy(
        update={
            "metrics": {
                **profile.metrics,
                "REVENUE": profile.metrics["REVENUE"].model_copy(update={"source_codes": ("TURNOVER",)}),
            }
        }
    )

    async with facts_on(database, profile=joined) as facts:
        await facts.load(row("2023"), row("2024", metric="TURNOVER"))
        asked = FindNewest(
            series=(FactSeries(metric="REVENUE", entity="ACME_HK"),),
            kinds=(PeriodType.FY,),
            profile_digest=joined.digest(),
        )
        newest = await facts.service.newest(asked)

    assert [period.value for period in newest.series[0]] == ["2024", "2023"]
