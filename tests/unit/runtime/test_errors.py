"""Every error code has one exception, and no reply repeats what was sent."""

import pytest
from pydantic import BaseModel, Field, ValidationError

from contracts.codes import ErrorCode
from contracts.v1.errors import ErrorReply, FieldProblem
from contracts.v1.facts import FactOutcomes, LoadFacts
from runtime import errors
from runtime.errors import (
    MAX_PROBLEMS,
    AskError,
    InternalError,
    InvalidRequestError,
    UnavailableError,
    from_error_reply,
    invalid_request,
    problems_of,
    to_error_reply,
)

ALL_ERRORS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, AskError)]


class Item(BaseModel):
    number: int = Field(gt=0)


class Order(BaseModel):
    items: tuple[Item, ...]


def _refused(body: str, kind: type[BaseModel]) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        kind.model_validate_json(body)
    return caught.value


def test_every_code_has_exactly_one_error() -> None:
    codes = [kind.code for kind in ALL_ERRORS if kind is not AskError]

    assert sorted(codes) == sorted(ErrorCode)


@pytest.mark.parametrize("code", list(ErrorCode))
def test_a_reply_becomes_the_error_it_names_and_back(code: ErrorCode) -> None:
    problem = FieldProblem(field="a.0", reason="is wrong")
    error = from_error_reply(ErrorReply(code=code, retryable=False, message="Words.", problems=(problem,)))

    reply = to_error_reply(error)

    assert (reply.code, reply.message, reply.problems) == (code, "Words.", (problem,))


def test_retryable_is_a_property_of_the_error_not_of_the_reply() -> None:
    assert to_error_reply(UnavailableError()).retryable
    assert not to_error_reply(InvalidRequestError()).retryable


@pytest.mark.parametrize("error", [ValueError("1320.50 of ACME"), KeyError("secret"), ExceptionGroup("x", [OSError()])])
def test_an_unknown_exception_becomes_internal_with_a_fixed_text(error: Exception) -> None:
    reply = to_error_reply(error)

    assert reply == to_error_reply(InternalError())


def test_problems_name_the_path_and_the_reason() -> None:
    error = invalid_request(_refused('{"items": [{"number": 1}, {"number": 0}]}', Order))

    assert error.problems == (FieldProblem(field="items.1.number", reason="must be more than 0"),)


@pytest.mark.parametrize(
    "body",
    [
        '{"items": [{"number": "SENTINEL"}]}',
        '{"items": "SENTINEL"}',
        '"SENTINEL"',
        '{"items": [{"number": SENTINEL}]}',
        '{"items": [{"number": 1.SENTINEL}]}',
    ],
)
def test_problems_never_repeat_the_input(body: str) -> None:
    error = invalid_request(_refused(body, Order))

    assert error.problems
    assert "SENTINEL" not in to_error_reply(error).model_dump_json()


def test_an_unknown_kind_in_a_union_is_not_repeated() -> None:
    error = invalid_request(_refused('{"outcomes": [{"status": "SENTINEL"}]}', FactOutcomes))

    assert error.problems[0].reason == "is none of the known kinds"


def test_an_unknown_field_is_named_but_cut_and_printable() -> None:
    body = '{"facts": [{"a\\u0007' + "b" * 200 + '": 1}]}'

    fields = [problem.field for problem in problems_of(_refused(body, LoadFacts))]

    assert f"facts.0.a{'b' * 62}" in fields


def test_our_own_reasons_come_without_the_prefix_of_pydantic() -> None:
    body = '{"facts": [{"value": 1.5}]}'

    reasons = [p.reason for p in problems_of(_refused(body, LoadFacts)) if p.field == "facts.0.value"]

    assert reasons == ['a value is a decimal string such as "1320.50"']


def test_more_problems_than_a_load_has_rows_are_counted_only() -> None:
    body = '{"items": [' + ",".join(['{"number": 0}'] * (MAX_PROBLEMS + 1)) + "]}"

    error = invalid_request(_refused(body, Order))

    assert len(error.problems) == MAX_PROBLEMS
    assert str(MAX_PROBLEMS + 1) in error.message
