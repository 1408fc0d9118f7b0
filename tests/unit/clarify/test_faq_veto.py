"""Which texts and items may never be served from the vetted answers."""

from datetime import date

import pytest

from contracts.codes import FaqState, PeriodType, Route
from contracts.v1.intent import LatestPeriod, ParsedIntent
from contracts.v1.periods import Period
from domain.sensitivity import is_open
from services.clarify.cues import has_realtime_cue
from services.clarify.faq_veto import Terms, VetoReason, asks_for_a_number, veto_of_item, veto_of_text
from services.intent.parser import RuleIntentParser
from tests.support.profiles import REFERENCE_DATE, acme

NARRATIVE = ParsedIntent(route=Route.NARRATIVE, profile_digest="x")


def _veto(text: str) -> VetoReason | None:
    intent = RuleIntentParser(acme()).parse(text, reference_date=REFERENCE_DATE)
    return veto_of_text(text, intent, acme())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("食堂在哪", None),
        ("upgroup 登录入口", None),
        ("How do I apply for leave?", None),
        ("集团的使命", VetoReason.STRUCTURED_NUMERIC),
        ("ROE 口径", VetoReason.STRUCTURED_NUMERIC),
        ("2024年的年会在哪", VetoReason.STRUCTURED_NUMERIC),
        ("有多少台打印机", VetoReason.STRUCTURED_NUMERIC),
        ("营收同比增长率的定义", VetoReason.STRUCTURED_NUMERIC),
        ("哪个部门营收最高", VetoReason.STRUCTURED_NUMERIC),
        ("竞安是谁", VetoReason.COMPETITOR),
        ("ｊｉｎｇａｎ 的口号", VetoReason.COMPETITOR),
        ("竞\u200b安的食堂", VetoReason.COMPETITOR),
        ("目前谁值班", VetoReason.REAL_TIME),
        ("this week's menu", VetoReason.REAL_TIME),
        ("la mensa oggi", VetoReason.REAL_TIME),
        ("食堂在哪\u202e", VetoReason.SUSPICIOUS),
        ("the cаnteen", VetoReason.SUSPICIOUS),
        ("AT&amp;T line", VetoReason.SUSPICIOUS),
    ],
)
def test_a_text_is_vetoed_with_its_reason(text: str, reason: VetoReason | None) -> None:
    assert _veto(text) is reason


@pytest.mark.parametrize(
    "slots",
    [
        {"metrics": ("ROE",)},
        {"entities": ("ACME_HK",)},
        {"periods": (Period(type=PeriodType.FY, value="2024"),)},
        {"latest": LatestPeriod(type=PeriodType.FY, start=0, end=1)},
        {"route": Route.STRUCTURED},
        {"route": Route.COMPOSITE},
        {"route": Route.DECOMPOSED},
    ],
)
def test_any_slot_and_any_route_but_narrative_asks_for_a_number(slots: dict[str, object]) -> None:
    assert not asks_for_a_number(NARRATIVE)
    assert asks_for_a_number(NARRATIVE.model_copy(update=slots))


@pytest.mark.parametrize(
    ("text", "is_cue"),
    [
        *(("今天", True), ("今 天", True), ("當前的規定", True), ("现－在", True), ("股價", True), ("此刻谁在", True)),
        *(("current", True), ("Currently", True), ("right-now", True), ("TODAY?", True), ("ｔｏｄａｙ", True)),
        *(("today的菜单", True), ("to\u200bday", True), ("real time", True), ("real-time", True), ("quest'anno", True)),
        *(("know", False), ("Priceline", False), ("currency", False), ("snow", False), ("borsalino", False)),
        *(("天今", False), ("", False), ("明确的规定", False), ("dora", False), ("rapporto annuale", False)),
    ],
)
def test_a_cue_counts_in_any_spelling_and_never_inside_a_word(text: str, is_cue: bool) -> None:
    assert has_realtime_cue(text) is is_cue


def test_cues_of_the_profile_count_beside_the_built_in_ones() -> None:
    assert has_realtime_cue("黄金牌号", ["牌号"])
    assert has_realtime_cue("the spot desk", ["Spot  Desk"])
    assert not has_realtime_cue("the spotdesk", ["spot desk"])
    assert not has_realtime_cue("anything", ["", " ?! "])


APPROVED = Terms(FaqState.APPROVED, "INTERNAL", date(2025, 1, 1), date(2025, 12, 31))


@pytest.mark.parametrize(
    ("terms", "today", "reason"),
    [
        (APPROVED, date(2025, 1, 1), None),
        (APPROVED, date(2025, 12, 31), None),
        (APPROVED, date(2024, 12, 31), VetoReason.NOT_YET_VALID),
        (APPROVED, date(2026, 1, 1), VetoReason.EXPIRED),
        (Terms(FaqState.APPROVED, " Public "), date.min, None),
        (Terms(FaqState.DRAFT, "PUBLIC"), date.min, VetoReason.NOT_APPROVED),
        (Terms(FaqState.DISABLED, "PUBLIC"), date.min, VetoReason.NOT_APPROVED),
        (Terms(FaqState.STALE, "PUBLIC"), date.min, VetoReason.STALE),
        (Terms(FaqState.APPROVED, " Restricted "), date.min, VetoReason.CLOSED_SENSITIVITY),
        (Terms(FaqState.APPROVED, "TOP_SECRET"), date.min, VetoReason.CLOSED_SENSITIVITY),
        (Terms(FaqState.APPROVED, ""), date.min, VetoReason.CLOSED_SENSITIVITY),
        (Terms(FaqState.APPROVED, None), date.min, VetoReason.CLOSED_SENSITIVITY),
    ],
)
def test_an_item_is_served_only_when_approved_open_and_valid(
    terms: Terms, today: date, reason: VetoReason | None
) -> None:
    assert veto_of_item(terms, today) is reason


def test_only_two_labels_are_open() -> None:
    labels = ("PUBLIC", "internal", "INTERNAL ", "Confidential", "public internal", "ＰＵＢＬＩＣ", None)

    assert [label for label in labels if is_open(label)] == ["PUBLIC", "internal", "INTERNAL "]
