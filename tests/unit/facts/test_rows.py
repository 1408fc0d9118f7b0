"""The fast check and the contract are one rule: they accept, refuse and read the same rows."""

from collections.abc import Mapping
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from contracts.codes import PeriodType, ReviewStatus
from contracts.v1.facts import FactRow
from services.facts.rows import MAX_KEY_BYTES, Problem, Row, RowChecker, long_key, row_of
from services.facts.vocabulary import Vocabulary
from tests.support.answers import sample_profile

GOOD = Row("REVENUE", "ACME_HK", "FY", "2024", "TOTAL", "1320.10", "USD_M", "a.pdf", "p=1", "2025-03-31", "approved")
ANY_CODE = RowChecker(None)
KNOWN_CODES = RowChecker(Vocabulary.of(sample_profile()))

ODD_TEXTS = st.one_of(
    st.sampled_from(
        ["", " ", "\t", "\u3000", "\u00a0", "\x00", "a\x00b", "a\tb", "\u200b", "é", "香港", "\ud800", "x" * 1025]
    ),
    st.sampled_from(
        [
            "9999",
            "%",
            "\u2060\ufeff",
            "\u3164",
            "\ufe0f",
            "\u0301",
            "\u2800 ",
            "a\u200b",
            "a\u202eb",
            "\u2066a",
            "\U000e0100",
        ]
    ),
    st.text(max_size=8),
    st.integers(250, 260).map(lambda n: "长" * n),
    st.integers(1020, 1030).map(lambda n: "x" * n),
)
NUMBERS = st.one_of(
    st.sampled_from(
        ["", "1,320", "1e3", "NaN", "+1", ".5", "5.", "-0", "007", "１２", "1 320", " 1", "1\n", "٣", "--1", "Infinity"]
    ),
    st.decimals(allow_nan=True, allow_infinity=True).map(str),
    st.from_regex(r"-?[0-9]{1,32}(\.[0-9]{1,22})?", fullmatch=True),
    st.text(max_size=5),
)
PERIODS = st.one_of(
    st.sampled_from(
        ["2024", "2024H1", "2024H3", "2024Q4", "2024M10", "2024M13", "2024Q3YTD", "FY2024", "２０２４", "2024\n", ""]
    ),
    st.text(max_size=6),
)
DATES = st.one_of(
    st.sampled_from(
        ["", "2024-02-30", "2024-2-1", "20240331", "20217600", "2024-03-31T00:00:00", "２０２４-03-31", "0000-01-01"]
    ),
    st.dates().map(str),
    st.text(max_size=10),
)
ROWS = st.builds(
    Row,
    metric_code=ODD_TEXTS,
    entity=ODD_TEXTS,
    period_type=st.one_of(st.sampled_from([*PeriodType, "fy", ""]).map(str), st.text(max_size=3)),
    period=PERIODS,
    channel=ODD_TEXTS,
    value=NUMBERS,
    unit=ODD_TEXTS,
    source_doc_id=ODD_TEXTS,
    source_locator=ODD_TEXTS,
    valid_as_of=DATES,
    review_status=st.one_of(st.sampled_from([*ReviewStatus, "Approved", ""]).map(str), st.text(max_size=3)),
)
ONE_ODD_CELL = st.builds(
    lambda row, name: GOOD._replace(**{name: getattr(row, name)}), ROWS, st.sampled_from(Row._fields)
)


def _by_contract(raw: Mapping[str, object]) -> Row | None:
    try:
        return row_of(FactRow.model_validate(raw))
    except ValidationError:
        return None


def _meaning(row: Row) -> tuple[object, ...]:
    return (*row._replace(value=""), Decimal(row.value).as_tuple())


@settings(max_examples=500)
@given(st.one_of(ONE_ODD_CELL, ROWS))
@example(GOOD._replace(valid_as_of="20217600"))
@example(GOOD._replace(source_locator="a\x00b"))
@example(GOOD._replace(value="007.50"))
def test_the_check_and_the_contract_accept_and_read_the_same_rows(row: Row) -> None:
    expected = _by_contract(row._asdict() | {"valid_as_of": row.valid_as_of or None})

    checked = ANY_CODE.check(row)

    if expected is None or long_key(expected):
        assert not isinstance(checked, Row)
        assert all(problem.reason for problem in checked)
    else:
        assert isinstance(checked, Row)
        assert _meaning(checked) == _meaning(expected)


JSON_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4), st.lists(st.none(), max_size=1)
)


@settings(max_examples=300)
@given(
    st.one_of(ONE_ODD_CELL, ROWS),
    st.dictionaries(st.sampled_from([*Row._fields, "valid_asof"]), JSON_VALUES, max_size=3),
)
@example(GOOD, {"valid_as_of": None})
@example(GOOD, {"valid_as_of": ""})
@example(GOOD, {"channel": None})
@example(GOOD, {"value": 1320})
def test_the_check_and_the_contract_accept_the_same_objects(row: Row, changes: dict[str, object]) -> None:
    raw = row._asdict() | changes
    expected = _by_contract(raw)

    checked = ANY_CODE.check_object(raw)

    assert isinstance(checked, Row) == (expected is not None and not long_key(expected))


INVISIBLE = "the text has no visible character"
REORDERED = "the text holds a character that changes the direction of writing; leave it out"


@pytest.mark.parametrize("column", ["metric_code", "entity", "channel", "unit", "source_doc_id", "source_locator"])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("\u200b", INVISIBLE),
        ("\u2060\ufeff", INVISIBLE),
        (" \u00ad ", INVISIBLE),
        ("\u3164", INVISIBLE),
        ("\u2800", INVISIBLE),
        ("\ufe0f", INVISIBLE),
        ("a\u202efdp.b", REORDERED),
        ("a\u2066b\u2069", REORDERED),
    ],
)
def test_what_nobody_can_read_is_no_code_and_no_source(column: str, text: str, reason: str) -> None:
    assert ANY_CODE.check(GOOD._replace(**{column: text})) == (Problem(column, reason),)


@pytest.mark.parametrize("text", ["年报\u200b.pdf", "!", "é", "📈", "क\u094d\u200dष", "شركة"])
def test_a_source_needs_only_one_visible_character(text: str) -> None:
    row = GOOD._replace(source_doc_id=text)

    assert ANY_CODE.check(row) == row


@pytest.mark.parametrize("unit", ["9999", "1_000", "-", "10^6", "²"])
def test_a_unit_that_reads_as_a_number_is_refused(unit: str) -> None:
    [problem] = ANY_CODE.check(GOOD._replace(unit=unit))

    assert problem == Problem("unit", "a unit has a letter or a per cent sign, as in USD_M or %")


@pytest.mark.parametrize("unit", ["%", "％", "万元", "m²", "USD_M", "10^6 USD"])
def test_a_unit_has_a_letter_or_a_per_cent_sign(unit: str) -> None:
    row = GOOD._replace(unit=unit)

    assert ANY_CODE.check(row) == row


@given(st.sets(st.sampled_from(Row._fields)))
def test_columns_may_be_missing_from_an_object_as_in_the_contract(missing: set[str]) -> None:
    raw = {name: value for name, value in GOOD._asdict().items() if name not in missing}

    checked = ANY_CODE.check_object(raw)

    assert isinstance(checked, Row) == (_by_contract(raw) is not None)
    if not isinstance(checked, Row):
        assert {problem.column for problem in checked} == missing - {"channel", "valid_as_of", "review_status"}
        assert {problem.reason for problem in checked} == {"is missing"}


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({}, ()),
        ({"metric_code": "TURNOVER"}, (Problem("metric_code", "not a metric of the profile"),)),
        ({"metric_code": "营收"}, (Problem("metric_code", "not a metric of the profile; write its code REVENUE"),)),
        ({"entity": "香港"}, (Problem("entity", "not an entity of the profile; write its code ACME_HK"),)),
        ({"channel": "total"}, (Problem("channel", "not a channel of the profile"),)),
        ({"channel": "代理"}, (Problem("channel", "not a channel of the profile; write its code AGENCY"),)),
    ],
)
def test_unknown_codes_are_named_with_the_code_that_is_meant(
    changes: dict[str, str], problems: tuple[Problem, ...]
) -> None:
    assert KNOWN_CODES.unknown_codes(GOOD._replace(**changes)) == problems


def test_a_key_may_be_exactly_as_long_as_the_index_allows() -> None:
    room = MAX_KEY_BYTES - len("REVENUE" + "ACME_HK" + "TOTAL")

    assert not long_key(GOOD._replace(source_doc_id="é" * (room // 2)))
    assert long_key(GOOD._replace(source_doc_id="é" * (room // 2 + 1)))


@pytest.mark.parametrize(
    ("metric", "unit", "wanted"),
    [
        ("REVENUE", "USD_M", None),
        ("REVENUE", "CNY_M", "USD_M"),
        ("ROE", "%", None),  # another sign for the same
        ("ROE", "USD_M", "PCT"),
        ("UNKNOWN", "CNY_M", None),
    ],
)
def test_a_unit_that_the_profile_does_not_give_the_metric_is_seen(metric: str, unit: str, wanted: str | None) -> None:
    row = GOOD._replace(metric_code=metric, unit=unit)

    assert KNOWN_CODES.other_unit(row) == wanted
    assert ANY_CODE.other_unit(row) is None


def test_strict_units_refuse_another_unit() -> None:
    strict = RowChecker(Vocabulary.of(sample_profile()), strict_units=True)

    assert strict.check(GOOD) == GOOD
    assert strict.check(GOOD._replace(unit="CNY_M")) == (Problem("unit", "the profile has USD_M for REVENUE"),)
    assert KNOWN_CODES.check(GOOD._replace(unit="CNY_M")) == GOOD._replace(unit="CNY_M")
