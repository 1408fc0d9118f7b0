"""What is decided once, when a wording is admitted, is what screening every question on its day would decide."""

import re
import unicodedata
from collections.abc import Callable
from datetime import date
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from domain.profile import CompanyProfile
from services.clarify.faq_veto import VetoReason, veto_of_text
from services.gateway.faq.admission import SCREENING_DAY
from services.gateway.faq.normalize import END_MARKS, normal_form
from services.intent.parser import RuleIntentParser
from tests.support.profiles import acme, profile_from_case

OTHER = {
    "company_name": "Vesta",
    "default_entity": "VESTA",
    "entities": {"VESTA": {"synonyms": ["vesta", "总部"]}, "NORD": {"synonyms": ["nord", "北方分部"]}},
    "metrics": {"UNITS": {"unit": "PCS", "synonyms": ["units", "销量", "unità"]}},
    "channels": {"WEB": ["web", "线上"]},
    "external": {"罗马": "Roma", "roma": "Roma"},
}
PARTS = [
    *("食堂", "在哪", "如何", "请假", "年假", "门禁", "规则", "可以", "吗", "不", "的", "和", "目录", "班车"),
    *("how", "do", "i", "apply", "for", "leave", "where", "is", "the", "canteen", "not", "mensa", "dove", "trova"),
    *("今天", "最新", "目前", "股价", "today", "current", "latest", "price", "this week", "oggi", "now", "本周"),
    *("香港", "集团", "营收", "revenue", "ROE", "group", "hk", "销量", "units", "nord", "北方分部", "AGENCY", "web"),
    *("竞安", "jingan", "Jingli", "竞 安", "罗马", "roma", "&#106;ingan", "&amp;", "＆#106;"),
    *("2024", "２０２４", "FY2024", "去年", "last year", "H1", "上半年", "Q3", "3", "三", "2024年10月", "多少"),
    *("\u200b", "\u00ad", "\u3000", " ", "  ", "\n", "\u00a0", "е", "а", "é", "e\u0301", "ß", "İ", "ﬁ", "²", "①"),
    *(
        "香港的",
        "營收",
        "競安",
        "為什麼",
        "爲",
        "ｊｉｎｇａｎ",
        "ＲＯＥ",
        "\u202e",
        "-",
        "/",
        "(",
        "'",
        "、",
        "，",
        "％",
    ),
]
texts = st.lists(st.sampled_from(PARTS), min_size=1, max_size=6).map("".join) | st.lists(
    st.sampled_from(PARTS), min_size=1, max_size=6
).map(" ".join)
marks = st.text(st.sampled_from([*sorted(END_MARKS), "？", "！", " ", "．", "\u3000"]), max_size=3)
same_case = st.sampled_from([str, lambda text: "".join(map(_wide, text)), lambda text: f" \t{text}"])
any_case = st.sampled_from(
    [str.upper, str.lower, str.title, str.swapcase, lambda text: "".join(map(_wide, text.upper()))]
)
days = st.dates(date(1995, 1, 1), date(2060, 12, 31))


TWO_DIGITS = re.compile(r"(?<!\d)\d\d(?!\d)")


def _wide(char: str) -> str:
    return chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char


@cache
def _profiles() -> tuple[tuple[CompanyProfile, RuleIntentParser], ...]:
    with_cue = acme().model_dump(mode="json") | {"faq": {"realtime_cues": ["班车", "canteen"]}}
    fiscal = acme().model_dump(mode="json")
    fiscal["company"] |= {"fiscal_year_start_month": 7, "fiscal_year_label": "start", "locale": "en"}
    others = (profile_from_case(OTHER), CompanyProfile.model_validate(with_cue), CompanyProfile.model_validate(fiscal))
    return tuple((profile, RuleIntentParser(profile)) for profile in (acme(), *others))


def _screened(text: str, place: int, day: date, entity: str | None = None) -> VetoReason | None:
    profile, parser = _profiles()[place]
    intent = parser.parse(text, reference_date=day, default_entity=entity)
    return veto_of_text(text, intent, profile)


places = st.sampled_from(range(4))


@given(texts, marks, same_case, places, days, st.booleans())
def test_a_verdict_of_admission_is_the_verdict_of_every_question_on_every_day(
    text: str, end: str, spelled: Callable[[str], str], place: int, day: date, names_default: bool
) -> None:
    question = spelled(text.lower()) + end
    form = normal_form(question)
    if not form or TWO_DIGITS.search(unicodedata.normalize("NFKC", form)):  # years on some days only: see below
        return
    entity = list(_profiles()[place][0].entities)[-1] if names_default else None

    admitted = _screened(form, place, SCREENING_DAY)

    assert (admitted is None) == (_screened(question, place, day, entity) is None), (form, admitted)


@given(texts, marks, any_case, places, days)
def test_no_question_in_any_case_is_vetoed_of_which_the_wording_was_admitted(
    text: str, end: str, spelled: Callable[[str], str], place: int, day: date
) -> None:
    question = spelled(text) + end
    form = normal_form(question)
    if not form:
        return

    admitted = _screened(form, place, SCREENING_DAY)

    assert admitted is not None or _screened(question, place, day) is None, form


@given(st.text(max_size=40) | texts, marks)
def test_the_normal_form_is_one_of_its_own(text: str, end: str) -> None:
    form = normal_form(text + end)

    assert normal_form(form) == form
    assert not form or form[-1] not in END_MARKS
    assert normal_form(f"  {text}\t{end} ") == normal_form(f"{text} {end}")


def test_the_normal_form_folds_width_case_blanks_and_nothing_else() -> None:
    chars = [chr(code) for code in range(0x20, 0x30000) if unicodedata.category(chr(code)) not in {"Cn", "Cs", "Co"}]
    plain = [char for char in chars if not unicodedata.decomposition(char).startswith(("<wide>", "<narrow>"))]

    changed = {
        char for char in plain if normal_form(f"字{char}字") != unicodedata.normalize("NFC", f"字{char}字".lower())
    }

    assert {char for char in changed if not char.isspace()} == set()
    assert normal_form("Ａ１％ ｱ\u3000\u00a0\t\nB") == "a1% ア b"
