"""Parsing is total, quotes exactly, never reads a letter twice, and takes time in proportion to the length."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contracts.codes import Route
from contracts.v1.intent import ParsedIntent
from domain.scope.segments import Part
from services.intent.parser import RuleIntentParser
from services.intent.reading import Reading
from tests.support.disguises import DISGUISES
from tests.support.profiles import REFERENCE_DATE, acme

PARSER = RuleIntentParser(acme())

PIECES = st.sampled_from(
    [
        *(
            "营收",
            "香港",
            "中国",
            "集团",
            "ACME",
            "hk",
            "revenue",
            "new sales",
            "ROE",
            "代理",
            "竞安",
            "jingan",
            "中国竞寿",
        ),
        *("2024", "2024年", "去年", "H1", "Q3 2024", "近三年", "ended June 30, 2024", "2021-2023", "二〇二四"),
        *(" latest quarter", "its most recent 10-K ", "最新年报", "最新"),
        *(
            "预算",
            "同比",
            "增长率",
            "阿里巴巴",
            "公司",
            "有限公司",
            "Group",
            "Inc",
            "budget",
            "per",
            "of",
            "'s",
            "的",
            "和",
        ),
        *(
            "为什么",
            "是多少",
            "how much",
            "why",
            "什么是",
            "保留两位小数",
            "€",
            "HK$",
            "+",
            "/",
            "-",
            "、",
            "，",
            "。",
            " ",
            "\n",
        ),
        *("\u200b", "\u0301", "\u202e", "&#31454;", "ﷺ", "㍿", "😀", "е", "Ａ", "\x00", "½"),
    ]
)
QUESTIONS = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=12).map("".join))


def parse(question: str) -> ParsedIntent:
    return PARSER.parse(question, reference_date=REFERENCE_DATE)


@given(QUESTIONS)
@example("hk revenue in the latest quarter")
def test_a_reader_that_cannot_resolve_the_newest_period_asks_back(question: str) -> None:
    parsed = parse(question)

    if parsed.latest is not None:
        assert not parsed.periods
        is_about_material = parsed.route is Route.NARRATIVE  # nothing of it is asked back
        assert is_about_material or any(
            parsed.latest.start <= r.start and r.end <= parsed.latest.end for r in parsed.residues
        )


@given(QUESTIONS)
@example("")
@example("\u0301")
def test_any_text_is_parsed_into_codes_of_the_profile(question: str) -> None:
    parsed = parse(question)

    assert set(parsed.metrics) <= set(acme().metrics)
    assert set(parsed.entities) <= set(acme().entities)
    assert set(parsed.channels) <= set(acme().channels)
    assert set(parsed.external_entities) <= set(acme().competitors)


@given(QUESTIONS)
def test_residues_quote_the_question(question: str) -> None:
    for residue in parse(question).residues:
        assert question[residue.start : residue.end] == residue.text != ""


@given(QUESTIONS)
def test_every_letter_belongs_to_exactly_one_segment(question: str) -> None:
    reading = Reading.of(question, acme(), PARSER.glossary, today=REFERENCE_DATE, default_entity=None)

    segments = reading.segments()

    places = [place for segment in segments for place in range(segment.first, segment.behind)]
    assert places == list(range(len(reading.text.letters.text)))


@given(QUESTIONS)
def test_parsing_twice_says_the_same(question: str) -> None:
    assert parse(question) == parse(question)


@given(
    st.lists(PIECES, max_size=4).map("".join),
    st.sampled_from(sorted({alias for aliases in acme().competitors.values() for alias in aliases})),
    st.sampled_from(["", " ", "的", "，"]),
    st.lists(PIECES, max_size=4).map("".join),
)
def test_a_masked_competitor_never_appears_as_an_entity(before: str, alias: str, sign: str, behind: str) -> None:
    question = f"{before}，{alias}{sign}{behind}"
    reading = Reading.of(question, acme(), PARSER.glossary, today=REFERENCE_DATE, default_entity=None)
    masked = reading.text.letters.covered(reading.masked)

    segments = reading.segments()

    entities = [segment for segment in segments if segment.part is Part.ENTITY]
    assert not any(masked[place] for entity in entities for place in range(entity.first, entity.behind))


@given(QUESTIONS, st.sampled_from(sorted(DISGUISES)))
def test_disguises_are_parsed_as_well(question: str, disguise: str) -> None:
    parse(DISGUISES[disguise](question))


SHORT, LONG = 400, 1_600
# Four times the length takes four times as long; sixteen times would be quadratic.
MOST = 9.0


@pytest.mark.parametrize(
    "piece",
    [
        *("营收", "香港", "去年", "第一季度", "2024年", "中国移动", "阿公司", "阿的", "竞安", "保留两位小数", "百万"),
        *(
            "a ",
            "hk ",
            "ROE of ",
            "age-grouped ",
            "last year ",
            "ended June 30, ",
            "Xy Group ",
            "I.n.c. ",
            "1,",
            "9",
            "-",
        ),
        *("e\u0301", "\u0301", "\u200b", "&#31454;", "😀", "\u202e", "аa "),
    ],
)
def test_time_grows_with_the_length(piece: str) -> None:
    short, long = (piece * SHORT)[:SHORT], (piece * LONG)[:LONG]
    parse(long)

    assert seconds(long) <= MOST * max(seconds(short), 0.0005)


def seconds(question: str) -> float:
    """The best of several parses, by the clock of this process alone: other load does not count."""
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        parse(question)
        best = min(best, time.process_time() - start)
    return best
