"""The table of the bus: exact lists, nothing that reaches further than it must."""

import pytest

from contracts import subjects
from runtime.bus_users import (
    PRODUCT_USERS,
    USERS,
    BusUser,
    app_publish,
    app_services,
    callers,
    covers,
    inbox,
    is_app_name,
    reply_prefixes,
)

FORBIDDEN = ("DELETE", "PURGE", "RESTORE", "SNAPSHOT", "MSG.GET", "LEADER", "STEPDOWN", "PEER", "ACCOUNT")

ONE_ANSWER = ("gateway", "$JS.API.STREAM.MSG.DELETE.RAGSPINE_ANSWERS")
"""The ledger's owner replaces an answer by that of another attempt."""


def rights() -> list[tuple[str, str]]:
    listed = [(user.name, right) for user in USERS for right in (*user.publish, *user.subscribe)]
    return [*listed, *(("app1", right) for right in app_publish("app1"))]


@pytest.mark.parametrize(("name", "right"), rights())
def test_no_right_reaches_everything(name: str, right: str) -> None:
    tokens = right.split(" ")[0].split(".")

    assert tokens[0] not in ("*", ">")
    assert right != f"{inbox(name)}*"
    assert not any(word in right for word in FORBIDDEN) or (name, right) == ONE_ANSWER


@pytest.mark.parametrize("name", [user.name for user in USERS])
def test_everybody_hears_the_own_inbox_and_no_other(name: str) -> None:
    user = next(user for user in USERS if user.name == name)

    assert [heard for heard in user.subscribe if heard.startswith("_INBOX")] == [f"_INBOX_{name}.>"]


@pytest.mark.parametrize("user", PRODUCT_USERS, ids=lambda user: user.name)
def test_requests_are_heard_in_the_own_queue_group_only(user: BusUser) -> None:
    assert all(heard.endswith(f" {user.name}") for heard in user.subscribe[:-1])


def test_nothing_lies_below_a_right_that_ends_with_a_star() -> None:
    """The server lets `a.>` in where `a.*` is allowed."""
    heard = {right.split(" ")[0] for user in USERS for right in user.subscribe if right.split(" ")[0].endswith(".*")}
    said = {right for user in USERS for right in user.publish} | set(app_publish("app1"))

    below = [(h, s) for h in heard for s in said if s.startswith(h[:-1]) and s.count(".") > h.count(".")]
    assert heard
    assert below == []


def test_nobody_may_call_what_nobody_serves() -> None:
    served = [subject for user in PRODUCT_USERS for subject in user.serves]
    called = [subject for user in PRODUCT_USERS for subject in user.calls]

    assert [subject for subject in called if not any(covers(known, subject) for known in served)] == []


def test_only_the_gateway_asks_the_orchestrator() -> None:
    assert reply_prefixes(subjects.ORCHESTRATOR_ANSWER) == ("_INBOX_gateway.",)


@pytest.mark.parametrize(
    ("subject", "who"),
    [
        (subjects.FACTS_QUERY, {"orchestrator"}),
        (subjects.FACTS_LOAD, {"gateway"}),
        (subjects.NARRATIVE_SEARCH, {"orchestrator"}),
        (subjects.INTENT_PARSE, {"cli", "gateway", "orchestrator"}),
        (subjects.ping("facts"), {"gateway"}),
        (subjects.ping("gateway"), set()),
        (subjects.probe("facts", "1a"), {"facts"}),
        ("ragspine.v1.unknown", set()),
    ],
)
def test_callers_are_those_of_the_table(subject: str, who: set[str]) -> None:
    assert callers(subject) == who
    assert set(reply_prefixes(subject)) == {f"_INBOX_{name}." for name in who}


def test_asks_come_from_accounts_of_apps_only() -> None:
    assert reply_prefixes(subjects.ASK_ANY_APP) == ("_R_.",)


def test_what_an_app_reaches_names_it_and_nobody_else() -> None:
    tokens = [service.subject.replace("*", "x").split(".") for service in app_services("app1")]

    assert all("app1" in parts for parts in tokens)
    assert len(tokens) == len({tuple(parts) for parts in tokens})


@pytest.mark.parametrize("name", ["a", "reports", "a-b_c", "0", "x" * 32])
def test_an_app_name_is_one_token(name: str) -> None:
    assert is_app_name(name)


@pytest.mark.parametrize("name", ["", "A", "a.b", "a b", "*", ">", "-a", "x" * 33, "gateway", "sys", "ä", "a\n"])
def test_other_names_are_refused(name: str) -> None:
    assert not is_app_name(name)


@pytest.mark.parametrize(
    ("pattern", "subject", "covered"),
    [
        ("a.b", "a.b", True),
        ("a.*", "a.b", True),
        ("a.*", "a.*", True),
        ("a.b", "a.*", False),
        ("a.*", "a.>", False),
        ("a.>", "a.b.c", True),
        ("a.>", "a.>", True),
        ("a.>", "a", False),
        ("a.*", "a.b.c", False),
        ("*.b", "a.b", True),
    ],
)
def test_covering_is_decided_token_by_token(pattern: str, subject: str, covered: bool) -> None:
    assert covers(pattern, subject) is covered
