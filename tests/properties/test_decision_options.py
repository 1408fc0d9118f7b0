"""One click gives the narrowed answer: every option, parsed again, changes what it names and no more."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.codes import Locale, Route
from contracts.v1.intent import ParsedIntent
from services.clarify.decision import AskFirst, Assume, Decision, Proceed, decide
from services.intent.parser import RuleIntentParser
from tests.support.answers import TODAY, sample_profile

PROFILE = sample_profile()
PARSER = RuleIntentParser(PROFILE)
CODES = {PROFILE.entity_label(code, Locale.ZH): code for code in PROFILE.entities}

QUESTIONS = {
    Locale.ZH: (
        ["", "集团", "香港", "香港和中国内地", "广东省", "不含香港的"],
        ["", "2024年", "去年", "2023与2024", "上半年", "2024Q3"],
        ["", "代理人渠道", "银保"],
        ["营收", "新签金额和营运利润", "净资产收益率", "净息差", "是几个"],
        ["", "多少", "是多少？", "预算", "同比增长率", "（调整后）", "给我看看", "请问一下"],
    ),
    Locale.EN: (
        ["", "group", "hong kong and china", "Guangdong", "outside hong kong", "the adjusted"],
        ["", "2024", "last year's", "2023 and 2024", "first half"],
        ["", "agency", "bancassurance"],
        ["revenue", "new sales and profit", "return on equity", "net interest margin", "how many"],
        ["", "please", "growth", "budget", "per employee", "what is it?"],
    ),
    Locale.IT: (
        ["", "gruppo", "hong kong", "Lombardia"],
        ["", "2024", "l'anno scorso", "nel 2023 e nel 2024"],
        [""],
        ["revenue", "profit", "margine", "quanto"],
        ["", "per favore", "previsto", "qual è"],
    ),
}

questions = st.sampled_from(Locale).flatmap(
    lambda locale: st.tuples(*(st.sampled_from(parts) for parts in QUESTIONS[locale])).map(
        lambda words: (" ".join(word for word in words if word), locale)
    )
)


def read(question: str, locale: Locale) -> tuple[ParsedIntent, Decision]:
    slots = PARSER.parse(question, reference_date=TODAY)
    return slots, decide(question, slots, PROFILE, today=TODAY, locale=locale)


@given(questions)
def test_every_option_is_answered_and_changes_only_what_it_names(case: tuple[str, Locale]) -> None:
    question, locale = case
    slots, decision = read(question, locale)

    for option in decision.clarification.options:
        again, outcome = read(option.question, locale)

        assert isinstance(outcome, Assume | Proceed), option
        assert list(_changes(slots, again, decision, option.label)) == [], option


def _changes(slots: ParsedIntent, again: ParsedIntent, decision: Decision, label: str) -> Iterator[str]:
    """What an option changed beyond what its label names."""
    expected = slots
    if isinstance(decision, AskFirst) and not slots.metrics:
        expected = expected.model_copy(update={"metrics": (label,)})
    elif label in CODES:
        expected = expected.model_copy(update={"entities": (CODES[label],)})
    elif isinstance(decision, Assume):
        yield from [] if [period.label for period in again.periods] == [label] else ["period"]
        expected = expected.model_copy(update={"periods": again.periods})
    for name in ("route", "metrics", "entities", "periods", "channels"):
        if getattr(again, name) != getattr(expected, name):
            yield name


@pytest.mark.parametrize("question", ["香港2024营收（调整后）为什么下降", "广东省2024营收为什么下降", "营收为什么下降"])
def test_a_question_for_reasons_keeps_its_route(question: str) -> None:
    slots, decision = read(question, Locale.ZH)

    routes = {read(option.question, Locale.ZH)[0].route for option in decision.clarification.options}

    assert slots.route is Route.COMPOSITE
    assert routes == {Route.COMPOSITE}
