"""The look-up: one read, and a miss whenever anything is not sure."""

import pytest

from contracts.codes import AnswerKind, Locale, Route
from contracts.v1.facts import Source
from contracts.v1.faq import FaqDependency
from services.gateway.faq.vetted import Hit, Miss, MissReason
from tests.support.profiles import acme
from tests.support.vetted import VettedHere, item


@pytest.fixture
async def vetted() -> VettedHere:
    here = VettedHere(acme())
    await here.keep(item(version=3))
    return here


async def test_a_hit_says_what_answered(vetted: VettedHere) -> None:
    found = await vetted.shortcut.find(vetted.question(" 食堂在哪？"))

    assert isinstance(found, Hit)
    answer = found.answer
    assert (answer.answer, answer.answer_plain, answer.route) == ("三楼。", "三楼。", Route.FAQ)
    assert (answer.answer_kind, answer.clarification) == (AnswerKind.NORMAL, None)
    assert answer.sources == (Source(doc="guide.pdf"),)
    cache = answer.cache
    assert (cache.hit, cache.type, cache.faq_id, cache.version, cache.source) == (
        True,
        "faq",
        "canteen",
        3,
        "guide.pdf",
    )
    assert answer.request_id == "r"


@pytest.mark.parametrize("question", ["食堂在哪", "没有这个问题吗"])
async def test_hit_and_miss_cost_one_read(vetted: VettedHere, question: str) -> None:
    await vetted.shortcut.find(vetted.question(question))

    assert vetted.copy.reads == 1


async def test_without_a_word_nothing_is_read(vetted: VettedHere) -> None:
    assert await vetted.shortcut.find(vetted.question(" ？！ ")) == Miss(MissReason.EMPTY)
    assert vetted.copy.reads == 0


async def test_nothing_is_served_before_the_items_were_screened(vetted: VettedHere) -> None:
    vetted.trust.is_ready = False

    assert await vetted.shortcut.find(vetted.question("食堂在哪")) == Miss(MissReason.NOT_READY)


@pytest.mark.parametrize("change", [None, 0, 6])
async def test_a_copy_that_is_gone_or_behind_is_not_served_and_looked_at(
    vetted: VettedHere, change: int | None
) -> None:
    vetted.copy.change, vetted.trust.needed = change, 7

    assert await vetted.shortcut.find(vetted.question("食堂在哪")) == Miss(MissReason.COPY_OUTDATED)
    assert vetted.trust.looks == 1


async def test_an_unreadable_copy_is_a_miss(vetted: VettedHere) -> None:
    vetted.copy.is_readable = False

    assert await vetted.shortcut.find(vetted.question("食堂在哪")) == Miss(MissReason.COPY_UNREADABLE)


async def test_foreign_values_are_no_answers(vetted: VettedHere) -> None:
    [(field, value)] = vetted.copy.fields.items()

    for wrong in ("", "{}", "[1]", value.replace("食堂在哪", "食堂在那"), value[:-3]):
        vetted.copy.fields[field] = wrong
        assert await vetted.shortcut.find(vetted.question("食堂在哪")) == Miss(MissReason.NO_ITEM)


async def test_what_depends_on_facts_waits_until_they_are_known(vetted: VettedHere) -> None:
    await vetted.keep(item(depends_on=[FaqDependency(metric="ROE")]))
    vetted.trust.is_current = False

    assert await vetted.shortcut.find(vetted.question("食堂在哪")) == Miss(MissReason.UNCHECKED)
    vetted.trust.is_current = True
    assert isinstance(await vetted.shortcut.find(vetted.question("食堂在哪")), Hit)


async def test_an_item_for_one_language_is_for_its_askers_only(vetted: VettedHere) -> None:
    await vetted.keep(item(locale=Locale.EN))

    assert isinstance(await vetted.shortcut.find(vetted.question("食堂在哪", locale=Locale.EN)), Hit)
    assert await vetted.shortcut.find(vetted.question("食堂在哪", locale=Locale.IT)) == Miss(MissReason.NO_ITEM)
    assert await vetted.shortcut.find(vetted.question("食堂在哪")) == Miss(MissReason.NO_ITEM)  # Chinese by its letters


async def test_hits_misses_and_vetoes_are_counted(vetted: VettedHere) -> None:
    await vetted.keep(item(), item("ROE 口径", id="roe"))
    for question in ("食堂在哪", "ROE 口径", "没有这个问题吗"):
        await vetted.shortcut.find(vetted.question(question))

    shown = vetted.metrics.render().decode()

    assert "ragspine_faq_hits_total 1.0" in shown
    assert 'ragspine_faq_vetoes_total{reason="structured_numeric"} 1.0' in shown
    assert 'ragspine_faq_misses_total{reason="no_item"} 1.0' in shown
