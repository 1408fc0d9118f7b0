"""The catalogue counts what can be asked, and offers only questions that the parser reads as the found scope."""

from datetime import date

import pytest

from contracts.codes import Locale, PeriodType
from contracts.v1.facts import FactQuery
from contracts.v1.periods import Period
from domain.profile import CompanyProfile
from services.facts.catalogue import EXAMPLES, build, candidates, choose_locale, example, reads_as
from services.facts.ports import CodeCounts, Scope
from services.facts.vocabulary import Vocabulary
from services.intent.parser import RuleIntentParser
from tests.support.answers import sample_profile, scope

PROFILE = sample_profile()
WORDS = Vocabulary.of(PROFILE)


def _with_other_codes() -> CompanyProfile:
    raw = PROFILE.model_dump(mode="json")
    raw["metrics"]["REVENUE"]["source_codes"] = ["SALES"]
    return CompanyProfile.model_validate(raw)


def test_counts_are_those_of_all_codes_of_a_metric() -> None:
    profile = _with_other_codes()
    counts = CodeCounts(
        metrics={"REVENUE": 2, "SALES": 3, "UNKNOWN": 9}, entities={"ACME_HK": 5}, channels={"TOTAL": 5}
    )

    found = build(profile, Vocabulary.of(profile), counts, Locale.EN)

    assert {item.code: (item.facts, item.unit) for item in found.metrics} == {
        "REVENUE": (5, "USD_M"),
        "NEWSALES": (0, "USD_M"),
        "PROFIT": (0, "USD_M"),
        "ROE": (0, "PCT"),
    }
    assert {item.code: item.label for item in found.entities}["ACME_HK"] == "ACME Hong Kong"
    assert [(item.code, item.facts) for item in found.channels] == [("TOTAL", 5), ("AGENCY", 0), ("BANCA", 0)]


def test_periods_come_newest_first() -> None:
    counts = CodeCounts(
        periods=[
            (PeriodType.FY, "2022"),
            (PeriodType.QUARTER, "2024Q3"),
            (PeriodType.FY, "2023"),
            (PeriodType.HY, "2024H1"),
        ]
    )

    found = build(PROFILE, WORDS, counts, Locale.EN)

    assert [period.value for period in found.periods] == ["2024Q3", "2024H1", "2023", "2022"]


@pytest.mark.parametrize(
    ("requested", "profile_locale", "chosen"),
    [("it", "zh", Locale.IT), (None, "zh", Locale.ZH), ("fr", "auto", Locale.EN), (None, "auto", Locale.EN)],
)
def test_the_language_is_the_requested_else_that_of_the_profile(
    requested: str | None, profile_locale: str, chosen: Locale
) -> None:
    raw = PROFILE.model_dump(mode="json")
    raw["company"]["locale"] = profile_locale

    assert choose_locale(requested, CompanyProfile.model_validate(raw)) is chosen


def test_examples_differ_in_metric_and_entity_and_start_with_the_default_entity() -> None:
    scopes = [
        Scope(metric, entity, "FY", "2024", "TOTAL")
        for metric in ("REVENUE", "PROFIT", "ROE")
        for entity in ("ACME_CN", "ACME_HK", "ACME_GROUP")
    ]

    first = candidates(scopes, WORDS, "ACME_GROUP")[:3]

    assert first[0].entity == "ACME_GROUP"
    assert {query.metric for query in first} == {"REVENUE", "PROFIT", "ROE"}
    assert {query.entity for query in first} == {"ACME_GROUP", "ACME_HK", "ACME_CN"}


def test_a_stored_code_is_offered_as_the_metric_it_means() -> None:
    profile = _with_other_codes()

    (query,) = candidates([Scope("SALES", "ACME_HK", "FY", "2024", "TOTAL")], Vocabulary.of(profile), "ACME_GROUP")

    assert query.metric == "REVENUE"


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        (Locale.ZH, "香港 FY2024 的营收是多少？"),
        (Locale.EN, "What was the REVENUE of ACME Hong Kong in FY2024?"),
        (Locale.IT, "Qual è stato il REVENUE di ACME Hong Kong nel FY2024?"),
    ],
)
def test_an_example_is_worded_in_the_language(locale: Locale, text: str) -> None:
    assert example(scope("2024"), PROFILE, WORDS.glossary, locale) == text


@pytest.mark.parametrize("locale", list(Locale))
@pytest.mark.parametrize("period", ["2024", "2024H1", "2024Q3"])
@pytest.mark.parametrize("metric", list(PROFILE.metrics))
@pytest.mark.parametrize("entity", list(PROFILE.entities))
def test_the_parser_reads_an_example_as_its_scope_and_nothing_else(
    locale: Locale, period: str, metric: str, entity: str
) -> None:
    query = scope(period, metric=metric, entity=entity)
    text = example(query, PROFILE, WORDS.glossary, locale)

    parsed = RuleIntentParser(PROFILE).parse(text, reference_date=date(2025, 5, 20))

    assert reads_as(text, query, WORDS.glossary)
    assert (parsed.metrics, parsed.entities, parsed.periods) == ((metric,), (entity,), (query.period,))
    assert parsed.channels == ()
    assert parsed.residues == ()
    assert parsed.external_entities == ()


@pytest.mark.parametrize(
    "text", ["ACME_HK FY2024", "REVENUE and ROE of ACME_HK in FY2024", "REVENUE of ACME_HK in FY2023", "香港2024H1营收"]
)
def test_another_reading_is_no_example(text: str) -> None:
    assert not reads_as(text, scope("2024"), WORDS.glossary)


def test_there_are_not_more_candidates_than_are_worth_a_look_up() -> None:
    queries = candidates(
        [Scope("REVENUE", "ACME_HK", "FY", str(year), "TOTAL") for year in range(1000, 2000)], WORDS, "ACME_GROUP"
    )

    assert EXAMPLES < len(queries) < 50
    assert queries[0] == FactQuery(
        metric="REVENUE", entity="ACME_HK", period=Period(type=PeriodType.FY, value="1000"), channel="TOTAL"
    )
