"""Hostile bodies are refused in about the time it takes to read them."""

import json
import time
from functools import partial

import pytest

from contracts.v1.facts import LoadFacts
from runtime.errors import InvalidRequestError
from services.gateway.http.bodies import parse_ask, parse_rows
from tests.component.gateway.test_facts_over_http import ROW

MANY_FIELDS = ",".join(f'"{number:x}":1' for number in range(200_000))


def refused(parse: object, body: str) -> list[tuple[str, str]]:
    assert callable(parse)
    with pytest.raises(InvalidRequestError) as caught:
        parse(body.encode())
    return [(problem.field, problem.reason) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("body", "field", "reason"),
    [
        ('{"facts":[' + ",".join(["1"] * 500_000) + "]}", "facts", "more than 1000 rows in one request"),
        ('{"facts":[' + ",".join(["{}"] * 500_000) + "]}", "facts", "more than 1000 rows in one request"),
        ("{" + MANY_FIELDS + "}", "", "more than 32 fields"),
        ('{"facts":[{}],' + MANY_FIELDS + "}", "", "more than 32 fields"),
        ('{"facts":[{},{' + MANY_FIELDS + "}]}", "facts.1", "more than 32 fields"),
    ],
)
def test_rows_without_shape_are_refused_as_a_whole(body: str, field: str, reason: str) -> None:
    start = time.process_time()

    assert refused(partial(parse_rows, LoadFacts), body) == [(field, reason)]
    assert time.process_time() - start < 2


@pytest.mark.parametrize("body", ["", "{", "[" * 10_000, '{"facts":["\\ud800"]}'])
def test_rows_that_are_no_json_are_refused_with_the_place(body: str) -> None:
    [(field, reason)] = refused(partial(parse_rows, LoadFacts), body)

    assert field == ""
    assert "line 1 column" in reason


def test_every_bad_row_is_named_even_when_each_has_many_problems() -> None:
    named = [
        field for field, _ in refused(partial(parse_rows, LoadFacts), json.dumps({"facts": [{"colour": 1}] * 1_000}))
    ]

    assert [field.split(".")[1] for field in named] == [str(number) for number in range(1_000)]


def test_good_rows_are_read_as_the_contract_says() -> None:
    body = json.dumps({"facts": [ROW, {**ROW, "valid_as_of": "2025-01-31"}]}).encode()

    assert parse_rows(LoadFacts, body) == LoadFacts.model_validate_json(body)


@pytest.mark.parametrize(
    "body", ['{"question":"x","history":[' + ",".join(["{}"] * 60_000) + "]}", "{" + MANY_FIELDS + "}"]
)
def test_an_ask_with_too_many_problems_to_list_is_refused_as_a_whole(body: str) -> None:
    start = time.process_time()

    [(field, reason)] = refused(parse_ask, body)

    assert (field, reason.split(":")[0]) == ("", "more than 40000 problems")
    assert time.process_time() - start < 2


def test_a_row_that_names_a_column_twice_is_refused_without_its_values() -> None:
    row = json.dumps(ROW)[:-1] + ', "value": "777123.45"}'

    assert refused(partial(parse_rows, LoadFacts), f'{{"facts": [{json.dumps(ROW)}, {row}]}}') == [
        ("facts.1.value", "is given more than once")
    ]


def test_an_ask_with_two_questions_under_one_name_is_refused() -> None:
    assert refused(parse_ask, '{"question": "a", "question": "b"}') == [("question", "is given more than once")]


def test_looking_for_repeats_costs_an_ask_next_to_nothing() -> None:
    body = json.dumps({"question": "ACME_HK FY2024 REVENUE " * 20}).encode()
    start = time.process_time()

    for _ in range(1_000):
        parse_ask(body)

    assert time.process_time() - start < 0.5
