"""No way of writing a competitor's name gets it past the gate: refused, or asked to rephrase, and never answered."""

import pytest

from contracts.codes import Locale, Route
from domain.screening import screen
from services.clarify.decision import AskFirst, Refuse, decide
from services.intent.parser import RuleIntentParser
from tests.support.disguises import DISGUISES
from tests.support.profiles import REFERENCE_DATE, acme

ALIASES = [(display, alias) for display, aliases in acme().competitors.items() for alias in aliases]
FRAMES = ("HK and {} revenue FY2024", "{}")
PARSER = RuleIntentParser(acme())


def test_there_are_enough_ways_to_write_a_name() -> None:
    assert len(DISGUISES) >= 60


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_disguised_competitor_is_named_or_the_writing_is_suspicious(disguise: str) -> None:
    missed = []
    for display, alias in ALIASES:
        screening = screen(f"2024年{DISGUISES[disguise](alias)}营收", acme())
        if display not in screening.names and not screening.suspicious:
            missed.append(alias)

    assert missed == []


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_question_about_a_disguised_competitor_is_never_answered(disguise: str) -> None:
    questions = [frame.format(DISGUISES[disguise](alias)) for _, alias in ALIASES for frame in FRAMES]

    answered = [question for question in questions if not is_refused_or_asked_back(question)]

    assert answered == []


def is_refused_or_asked_back(question: str) -> bool:
    parsed = PARSER.parse(question, reference_date=REFERENCE_DATE)
    decision = decide(question, parsed, acme(), today=REFERENCE_DATE, locale=Locale.ZH)
    return isinstance(decision, Refuse | AskFirst)


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_disguised_competitor_is_never_read_as_an_entity_of_ours(disguise: str) -> None:
    for _, alias in ALIASES:
        parsed = PARSER.parse(f"2024年{DISGUISES[disguise](alias)}营收", reference_date=REFERENCE_DATE)

        assert parsed.entities == ()


@pytest.mark.parametrize(
    "question",
    [
        "Beijing annual revenue of HK in FY2024",
        "HK's 2024 revenue rose 25%20 times?",
        "the <b>jin gang</b> award of HK",
        "%41%42 revenue of HK FY2024",
        "\\u9999\\u6e2f 2024 revenue",
    ],
)
def test_what_only_looks_like_a_code_or_a_part_of_a_name_is_not_refused(question: str) -> None:
    assert screen(question, acme()).names == ()
    assert PARSER.parse(question, reference_date=REFERENCE_DATE).route in set(Route)
