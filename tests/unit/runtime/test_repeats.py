"""A name given twice in one JSON object is refused with its path, and never with its values."""

import json

import pytest

from contracts.codes import ErrorCode
from contracts.v1.errors import ErrorReply, FieldProblem
from contracts.v1.facts import FactsWithdrawn, WithdrawFacts
from runtime.endpoint import make_endpoint
from runtime.errors import InvalidRequestError
from runtime.repeats import refuse_repeats
from tests.unit.runtime.messages import Said, Say


def problems_of(body: str) -> list[tuple[str, str]]:
    with pytest.raises(InvalidRequestError) as refused:
        refuse_repeats(body.encode())
    return [(problem.field, problem.reason) for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ('{"value": "1", "value": "777123.45"}', "value"),
        ('{"value": "1", "v\\u0061lue": "1"}', "value"),
        ('{"facts": [{"value": "1"}, {"unit": "USD", "value": "1", "value": "2"}]}', "facts.1.value"),
        ('{"facts": [{"a": 1, "a": 2}], "facts": []}', "facts"),
        ('{"a": {"b": 1, "b": 2}, "c": {"d": 1, "d": 2}}', "a.b"),
        ('{"\\u202e\\n' + "x" * 100 + '": 1, "\\u202e\\n' + "x" * 100 + '": 2}', "x" * 62),
    ],
)
def test_a_name_given_twice_is_refused_with_its_path(body: str, path: str) -> None:
    assert problems_of(body) == [(path, "is given more than once")]


@pytest.mark.parametrize(
    "body",
    [
        "{}",
        '[{"a": 1}, {"a": 2}]',
        '{"a": {"a": {"a": 1}}}',
        '{"a": %s}' % ("9" * 5_000),
        '{"a": "{\\"b\\":1,\\"b\\":2}"}',
    ],
)
def test_the_same_name_in_different_objects_is_none_twice(body: str) -> None:
    refuse_repeats(body.encode())


@pytest.mark.parametrize("body", ["{", "[" * 100_000])
def test_what_cannot_be_looked_through_is_refused(body: str) -> None:
    assert problems_of(body) == [("", "cannot be read as JSON")]


async def test_a_request_from_outside_is_refused_on_the_bus() -> None:
    async def on_withdraw(_message: WithdrawFacts) -> FactsWithdrawn:
        return FactsWithdrawn(withdrawn=1)

    endpoint = make_endpoint(on_withdraw, subject="test.withdraw", queue="test", default_deadline_seconds=5)

    reply = await endpoint.respond(b'{"source_doc_id": "a.pdf", "source_doc_id": "b.pdf"}', {})

    error = ErrorReply.model_validate_json(reply.body)
    assert error.code is ErrorCode.INVALID_REQUEST
    assert error.problems == (FieldProblem(field="source_doc_id", reason="is given more than once"),)
    assert b".pdf" not in reply.body


async def test_a_request_between_our_processes_is_not_read_twice() -> None:
    async def on_say(message: Say) -> Said:
        return Said(text=message.text)

    endpoint = make_endpoint(on_say, subject="test.say", queue="test", default_deadline_seconds=5)

    reply = await endpoint.respond(b'{"text": "a", "text": "b"}', {})

    assert json.loads(reply.body) == {"text": "b"}
