"""What only says what another metric is of is no second question, where the profile declares it of every entity."""

import pytest

from contracts.v1.intent import ParsedIntent
from domain.profile import CompanyProfile
from services.intent.parser import RuleIntentParser
from tests.support.profiles import REFERENCE_DATE

PROFILE = CompanyProfile.model_validate(
    {
        "company": {"name": "Clearleaf", "default_entity": "LEAF"},
        "entities": {"LEAF": {"synonyms": ["Clearleaf"]}, "BREW": {"synonyms": ["Brewster"]}},
        "metrics": {
            "REVENUE": {"unit": "USD_K", "synonyms": ["revenue", "营收"]},
            "COST": {"unit": "USD_K", "synonyms": ["cost of sales", "成本"], "percent_of": {"LEAF": "REVENUE"}},
            "TOTAL": {"unit": "USD_K"},
            "OTHER": {"unit": "USD_K"},
            "SALES": {"unit": "USD_K", "synonyms": ["net sales"]},
            "TEA": {"unit": "USD_K", "synonyms": ["tea"], "part_of": {"LEAF": "DRINKS"}},
            "COFFEE": {"unit": "USD_K", "synonyms": ["coffee"], "part_of": {"LEAF": "DRINKS", "BREW": "DRINKS"}},
            "DRINKS": {"unit": "USD_K", "synonyms": ["drinks"], "part_of": {"LEAF": "SALES"}},
        },
    }
)
PARSER = RuleIntentParser(PROFILE)


def parse(question: str, entity: str | None = None) -> ParsedIntent:
    return PARSER.parse(question, reference_date=REFERENCE_DATE, default_entity=entity)


@pytest.mark.parametrize(
    ("question", "metric"),
    [
        ("What was the cost of sales as a percentage of revenue in 2023?", "COST"),
        (
            "What was the proportion of cost of sales as a percentage of the total revenue in 2022 and 2023?",
            "COST",
        ),
        ("percentage of cost of sales as a percent of revenue 2023", "COST"),
        ("Clearleaf cost of sales as a percentage of revenue 2023", "COST"),
        ("2023年成本占营收的比例是多少", "COST"),
        ("2023年成本占营收比重", "COST"),
        ("quanto è stato il cost of sales in percentuale del revenue nel 2023?", "COST"),
        ("What were the drinks from coffee in 2023?", "COFFEE"),
        ("net sales from drinks in 2023", "DRINKS"),
        ("net sales arising from the total drinks 2023", "DRINKS"),
        ("net sales of tea 2023", "TEA"),
        ("tea net sales 2023", "TEA"),
        ("Brewster drinks from coffee 2023", "COFFEE"),
        ("What was the total cost of sales in 2023?", "COST"),
    ],
)
def test_the_metric_that_is_meant_is_asked_for(question: str, metric: str) -> None:
    parsed = parse(question)

    assert (parsed.metrics, parsed.residues) == ((metric,), ())


@pytest.mark.parametrize(
    "question",
    [
        # Of another metric, of another entity, or the other way round.
        "cost of sales as a percentage of net sales 2023",
        "Brewster cost of sales as a percentage of revenue 2023",
        "cost of sales of Clearleaf and Brewster as a percentage of revenue 2023",
        "revenue as a percentage of cost of sales 2023",
        "What percentage of revenue was the cost of sales in 2023?",
        "share of revenue 2023",
        "2023年营收占成本的比例",
        # More than the share.
        "growth of cost of sales as a percentage of revenue 2023",
        "average cost of sales as a percentage of revenue 2022 and 2023",
        "adjusted cost of sales as a percentage of revenue 2023",
        # No part of it, for this entity, or less than both.
        "net sales from revenue 2023",
        "Brewster drinks from tea 2023",
        "drinks from tea for Clearleaf and Brewster 2023",
        "Brewster net sales from coffee 2023",
        "tea from net sales 2023",
        "net sales excluding drinks 2023",
        "net sales from online drinks 2023",
        "share of net sales from drinks 2023",
        "net sales growth from drinks 2023",
        # A sum stays one.
        "total cost of sales and tea 2023",
        "total of cost of sales and tea 2023",
        "total net cost of sales 2023",
        "total other 2023",
    ],
)
def test_any_other_relation_is_asked_back(question: str) -> None:
    assert parse(question).residues


def test_two_metrics_that_are_listed_stay_two() -> None:
    assert parse("net sales and drinks 2023").metrics == ("SALES", "DRINKS")
    assert parse("net sales, drinks 2023").metrics == ("SALES", "DRINKS")


def test_the_default_entity_of_the_request_decides() -> None:
    assert parse("drinks from tea 2023", "LEAF").residues == ()
    assert parse("drinks from tea 2023", "BREW").residues != ()


def test_a_circle_of_parts_ends() -> None:
    tables = PROFILE.model_dump()
    tables["metrics"]["SALES"]["part_of"] = {"LEAF": "TEA"}
    tables["metrics"]["TEA"]["part_of"] = {"LEAF": "SALES"}
    parser = RuleIntentParser(CompanyProfile.model_validate(tables))

    parsed = parser.parse("drinks from tea 2023", reference_date=REFERENCE_DATE)

    assert parsed.residues
