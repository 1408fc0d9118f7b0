from datetime import date

import pytest

from services.intent.parser import RuleIntentParser
from tests.support.profiles import REFERENCE_DATE, acme, profile_from_case

PARSER = RuleIntentParser(acme())

FISCAL = profile_from_case("default").model_copy(
    update={
        "entities": {
            **acme().entities,
            "ACME_HK": acme().entities["ACME_HK"].model_copy(update={"fiscal_year_start_month": 7}),
        }
    }
)


def test_slots_come_in_the_order_of_the_question_and_once() -> None:
    parsed = PARSER.parse("新签金额、营收、新签金额：中国和香港，2024与2022", reference_date=REFERENCE_DATE)

    assert parsed.metrics == ("NEWSALES", "REVENUE")
    assert parsed.entities == ("ACME_CN", "ACME_HK")
    assert [period.value for period in parsed.periods] == ["2024", "2022"]


def test_competitors_are_masked_and_all_named() -> None:
    parsed = PARSER.parse("中国竞安对比中国竞寿2024营收", reference_date=REFERENCE_DATE)

    assert parsed.external_entities == ("竞安(Jingan)", "Jingshou")
    assert parsed.entities == ()


@pytest.mark.parametrize("question", ["香港2024ROE", "hk2024roe", "2024ROE香港"])
def test_a_year_beside_a_latin_name_is_read(question: str) -> None:
    parsed = PARSER.parse(question, reference_date=REFERENCE_DATE)

    assert ([period.value for period in parsed.periods], parsed.residues) == (["2024"], ())


def test_a_period_around_an_entity_is_read_as_one() -> None:
    parsed = PARSER.parse("2024年香港上半年营收", reference_date=REFERENCE_DATE)

    assert ([period.value for period in parsed.periods], parsed.residues) == (["2024H1"], ())


def test_the_fiscal_calendar_is_that_of_the_named_entity() -> None:
    parser = RuleIntentParser(FISCAL)
    august = date(2025, 8, 20)

    of_hong_kong = parser.parse("香港去年营收", reference_date=august)
    of_china = parser.parse("中国去年营收", reference_date=august)

    assert [period.value for period in of_hong_kong.periods] == ["2025"]
    assert [period.value for period in of_china.periods] == ["2024"]


def test_the_fiscal_calendar_without_an_entity_is_that_of_the_callers_default() -> None:
    parsed = RuleIntentParser(FISCAL).parse("去年营收", reference_date=date(2025, 8, 20), default_entity="ACME_HK")

    assert [period.value for period in parsed.periods] == ["2025"]


def test_residues_point_into_the_raw_question() -> None:
    question = "香\u200b港２０２４ 营收\u200b预\u200b算"

    (residue,) = PARSER.parse(question, reference_date=REFERENCE_DATE).residues

    assert question[residue.start : residue.end] == residue.text == "预\u200b算"


def test_the_digest_of_the_profile_comes_along() -> None:
    parsed = PARSER.parse("营收", reference_date=REFERENCE_DATE)

    assert parsed.profile_digest == acme().digest()
