"""A passage is material when it is about what is asked: the words that only ask, and a name alone, are not enough."""

import pytest

from contracts.codes import NothingFound
from tests.support.passages import Narrative, narrative_in_memory, passage


@pytest.fixture
def narrative() -> Narrative:
    return narrative_in_memory()


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("出口增长较快，主因是海外需求回升。", "香港门店客流为什么增长"),
        ("The rise of the empire was slow.", "Why did customer complaints rise?"),
        ("L'impero è cresciuto lentamente.", "Perché sono cresciuti i reclami dei clienti?"),
        ("公司简介：本公司成立于1999年。", "公司的数字化转型进展如何"),
    ],
)
async def test_words_that_only_ask_make_no_material(narrative: Narrative, text: str, question: str) -> None:
    await narrative.load(passage(text))

    found = await narrative.search(question)

    assert (found.passages, found.nothing_found) == ((), NothingFound.NO_MATCH)


async def test_the_asked_entity_by_itself_makes_no_material(narrative: Narrative) -> None:
    await narrative.load(passage("香港天气炎热，游客很多。"))

    found = await narrative.search("香港营收为什么增长", entities=["ACME_HK"])

    assert found.nothing_found is NothingFound.NO_MATCH


async def test_a_passage_of_the_entity_need_not_name_it(narrative: Narrative) -> None:
    await narrative.load(passage("营收增长来自新产品。", entity="ACME_HK"))

    assert await narrative.found("香港营收为什么增长", entities=["ACME_HK"]) == ["p3"]


async def test_another_language_shares_every_name_or_is_no_material(narrative: Narrative) -> None:
    await narrative.load(
        passage("In Hong Kong revenue rose with tourism.", locator="both"),
        passage("The revenue of the parliament rose.", locator="metric"),
        passage("Hong Kong has a harbour.", locator="entity"),
        passage("Revenue rose with tourism.", locator="tagged", entity="ACME_HK"),
    )

    found = await narrative.found("为什么香港营收增长", entities=["ACME_HK"])

    assert sorted(found) == ["both", "tagged"]


async def test_part_of_a_name_is_not_the_name(narrative: Narrative) -> None:
    await narrative.load(passage("Equity among actors matters; the return to the theatre was slow."))

    found = await narrative.search("Why did return on equity fall?")

    assert found.nothing_found is NothingFound.NO_MATCH


async def test_a_period_that_the_search_is_narrowed_to_is_not_looked_for_in_the_text(narrative: Narrative) -> None:
    await narrative.load(passage("门店客流回落，主因是台风季停业。", period="2024"))

    found = await narrative.found("2024年门店客流为什么回落", periods=[{"type": "FY", "value": "2024"}])

    assert found == ["p3"]


async def test_a_question_about_a_change_alone_is_about_the_change(narrative: Narrative) -> None:
    await narrative.load(
        passage("营收增长来自新产品。", entity="ACME_CN"),
        passage("会议在五月召开。", locator="p4", entity="ACME_CN"),
    )

    assert await narrative.found("中国为什么增长", entities=["ACME_CN"]) == ["p3"]


async def test_a_question_of_asking_words_only_is_answered_by_its_words(narrative: Narrative) -> None:
    await narrative.load(passage("分析与原因：见附件。"))

    assert await narrative.found("原因是什么") == ["p3"]
