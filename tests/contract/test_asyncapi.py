import re
from collections.abc import Iterator
from typing import Any

import pytest

from contracts import subjects
from scripts.contract_asyncapi import asyncapi_document
from scripts.contract_operations import CALLS, EVENTS, QUEUES, Call

# Not an address by itself: a prefix, and the pattern by which a stream collects all events.
NOT_ADDRESSES = {subjects.PREFIX, subjects.EVENTS_ANY}


def declared_subjects() -> set[str]:
    """Every subject that `contracts.subjects` spells out."""
    values = [value for name, value in vars(subjects).items() if name.isupper() and isinstance(value, str)]
    return {value for value in values if value.startswith(subjects.PREFIX)} - NOT_ADDRESSES


def references(node: object) -> Iterator[str]:
    """Every `$ref` in a document."""
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def unresolved(document: dict[str, Any]) -> list[str]:
    """References that lead nowhere."""
    missing = []
    for reference in sorted(set(references(document))):
        node: Any = document
        for step in reference.removeprefix("#/").split("/"):
            node = node.get(step) if isinstance(node, dict) else None
        if node is None:
            missing.append(reference)
    return missing


def test_the_table_of_operations_holds_exactly_the_declared_subjects() -> None:
    table = [operation.subject for operation in (*CALLS, *EVENTS, *QUEUES)]
    table += [queue.answer_subject for queue in QUEUES]

    assert sorted(table) == sorted(declared_subjects())


def test_every_subject_is_an_address_and_every_address_a_subject() -> None:
    channels = asyncapi_document()["channels"].values()
    addresses = {re.sub(r"\{[a-z_]+\}", "*", channel["address"]) for channel in channels if channel["address"]}

    assert addresses == declared_subjects()


def test_the_app_is_a_parameter_of_the_ask_subject() -> None:
    channel = asyncapi_document()["channels"]["ask"]

    assert channel["address"] == subjects.ask("{app}")
    assert channel["parameters"]["app"]["default"] == subjects.LOCAL_APP


def test_app_and_ask_are_parameters_of_the_durable_subjects() -> None:
    channels = asyncapi_document()["channels"]

    assert channels["durableAsk"]["address"] == subjects.asks("{app}", "{ask_id}")
    assert channels["durableAnswer"]["address"] == subjects.answers("{app}", "{ask_id}")
    assert set(channels["durableAnswer"]["parameters"]) == {"app", "ask_id"}


def test_requests_carry_the_deadline_and_errors_their_two_headers() -> None:
    messages = asyncapi_document()["components"]["messages"]

    assert subjects.HEADER_DEADLINE in messages["AskRequest"]["headers"]["properties"]
    assert messages["ErrorReply"]["headers"]["required"] == [subjects.HEADER_ERROR, subjects.HEADER_ERROR_CODE]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_every_call_may_answer_with_its_reply_or_an_error(call: Call) -> None:
    channel = asyncapi_document()["channels"][f"{call.name}Reply"]

    assert set(channel["messages"]) == {call.reply.__name__, "ErrorReply"}


def test_every_queue_group_serves_something() -> None:
    declared = {value for name, value in vars(subjects).items() if name.startswith("QUEUE_")}

    assert {call.queue for call in CALLS} == declared


def test_subjects_follow_the_naming_rule() -> None:
    of_apps, of_workers = r"ask\.\*|(asks|answers)\.\*\.\*", r"(gateway|orchestrator|intent|facts|narrative)\.[a-z]+"
    shape = re.compile(rf"ragspine\.v1\.({of_apps}|events\.[a-z_]+|{of_workers})")

    assert [subject for subject in declared_subjects() if not shape.fullmatch(subject)] == []


def test_all_references_resolve() -> None:
    assert unresolved(asyncapi_document()) == []


def test_a_reference_that_leads_nowhere_is_noticed() -> None:
    document = asyncapi_document()
    del document["components"]["messages"]["ParsedIntent"]

    assert unresolved(document) == ["#/components/messages/ParsedIntent"]
