"""Laws of the decision that hold for every question and whatever a parser made of it."""

from hypothesis import given
from hypothesis import strategies as st

from contracts.codes import Locale, ResidueKind, Route
from contracts.v1.ask import ClarificationOption
from contracts.v1.base import MAX_QUESTION_CHARS
from contracts.v1.intent import ParsedIntent, Residue
from domain.screening import screen
from services.clarify.decision import AskFirst, Assume, Decision, Proceed, Refuse, decide
from tests.properties.promise import numbers
from tests.support.answers import TODAY, period, sample_profile

PROFILE = sample_profile()
PIECES = [
    "营收",
    "香港",
    " 2024",
    "竞安",
    "jingan",
    "增长率",
    "\u202e",
    "（",
    "）",
    " revenue ",
    "９",
    "①",
    "\n",
    "'{x}'",
    "%s",
]

questions = (
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join).filter(lambda text: text.strip() != "")
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, ParsedIntent]:
    question = draw(questions)
    return question, ParsedIntent(
        route=draw(st.sampled_from([Route.STRUCTURED, Route.COMPOSITE, Route.NARRATIVE])),
        metrics=("REVENUE",)[: draw(st.integers(0, 1))],
        entities=("ACME_HK",)[: draw(st.integers(0, 1))],
        periods=(period("2024"),)[: draw(st.integers(0, 1))],
        residues=tuple(draw(st.lists(residues_of(question), max_size=3))),
        profile_digest=PROFILE.digest(),
    )


@st.composite
def residues_of(draw: st.DrawFn, question: str) -> Residue:
    start = draw(st.integers(0, len(question) - 1))
    end = draw(st.integers(start + 1, len(question)))
    kind = draw(st.sampled_from(ResidueKind))
    return Residue(text=question[start:end], kind=kind, start=start, end=end)


def decided(question: str, read: ParsedIntent, locale: Locale = Locale.ZH) -> Decision:
    return decide(question, read, PROFILE, today=TODAY, locale=locale)


def said(decision: Decision) -> str:
    match decision:
        case Refuse(text=text) | AskFirst(text=text):
            return text
        case Assume(banner=banner):
            return banner
        case Proceed():
            return ""


@given(cases())
def test_a_competitor_in_the_raw_question_is_always_refused_and_nothing_else_is(case: tuple[str, ParsedIntent]) -> None:
    question, read = case

    names = screen(question, PROFILE).names

    assert isinstance(decided(question, read), Refuse) == bool(names)


@given(cases())
def test_a_number_is_looked_up_only_when_the_metric_is_named_and_no_word_is_left_over(
    case: tuple[str, ParsedIntent],
) -> None:
    question, read = case

    decision = decided(question, read)

    if isinstance(decision, Assume | Proceed) and read.route is not Route.NARRATIVE:
        assert read.metrics
        assert not read.residues


@given(cases())
def test_after_a_decision_every_slot_is_named_or_assumed(case: tuple[str, ParsedIntent]) -> None:
    question, read = case

    decision = decided(question, read)

    if isinstance(decision, Assume | Proceed) and read.route is not Route.NARRATIVE:
        assumed = decision.clarification.assumed_slots
        assert (read.entity is None) == (assumed.entity is not None)
        assert (read.period is None) == (assumed.period is not None)


@given(cases(), st.sampled_from(Locale))
def test_no_digit_is_said_that_is_not_in_the_question_or_a_label(
    case: tuple[str, ParsedIntent], locale: Locale
) -> None:
    question, read = case

    decision = decided(question, read, locale)

    labels = " ".join(decision.clarification.narrowing_options)
    known = {digit for text in (question, labels, "2024") for digit in text}
    assert {char for number in numbers(said(decision)) for char in number} <= known


@given(cases())
def test_every_option_can_be_sent_back(case: tuple[str, ParsedIntent]) -> None:
    question, read = case

    clarification = decided(question, read).clarification

    assert clarification.narrowing_options == tuple(option.label for option in clarification.options)
    assert all(_can_be_sent(option) for option in clarification.options)


def _can_be_sent(option: ClarificationOption) -> bool:
    return bool(option.label.strip()) and 0 < len(option.question.strip()) <= MAX_QUESTION_CHARS
