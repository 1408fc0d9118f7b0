"""`POST /v1/ask`: what goes in, what comes out, and what the orchestrator is asked."""

import asyncio
import time
from datetime import date, datetime

import pytest

from contracts.codes import Locale
from contracts.subjects import HEADER_DEADLINE, ORCHESTRATOR_ANSWER
from contracts.v1.ask import AnswerQuestion, AnswerResult, HistoryTurn
from runtime.deadline import current_deadline
from services.gateway.settings import MAX_ASKS
from tests.component.gateway.doors import ANSWER, QUESTION, Doors, open_doors, usual_answer
from tests.support.answers import sample_profile


def headers_with_deadline(seconds: float) -> dict[str, str]:
    return {HEADER_DEADLINE: str(int((time.time() + seconds) * 1000))}


async def test_answers_with_what_the_orchestrator_said(doors: Doors) -> None:
    reply = await doors.ask({"question": QUESTION, "request_id": ANSWER.request_id})

    assert reply.status_code == 200
    assert reply.headers["content-type"] == "application/json"
    assert AnswerResult.model_validate_json(reply.content) == ANSWER
    assert '"value":"1320' in reply.text  # a number stays a decimal string


async def test_settles_what_the_ask_left_open(doors: Doors) -> None:
    before = datetime.now(sample_profile().zone).date()

    reply = await doors.ask({"question": QUESTION})

    after = datetime.now(sample_profile().zone).date()
    asked = doors.asked[0]
    assert before <= asked.reference_date <= after
    assert asked.profile_digest == sample_profile().digest()
    assert asked.request_id == reply.json()["request_id"] == reply.headers["x-request-id"]
    assert (asked.locale, asked.default_entity, asked.history, asked.decompose) == (None, None, (), False)


async def test_passes_on_what_the_ask_names(doors: Doors) -> None:
    body = {
        "question": "  香港\u00002024营收 ",
        "reference_date": "2024-06-01",
        "locale": "it",
        "default_entity": "ACME_HK",
        "history": [{"role": "user", "text": "ciao"}],
        "decompose": True,
        "request_id": "app-1.b_2",
    }

    await doors.ask(body)

    assert doors.asked == [
        AnswerQuestion(
            question="  香港2024营收 ",
            reference_date=date(2024, 6, 1),
            locale=Locale.IT,
            default_entity="ACME_HK",
            history=(HistoryTurn(role="user", text="ciao"),),
            decompose=True,
            request_id="app-1.b_2",
            profile_digest=sample_profile().digest(),
        )
    ]


async def test_asks_nobody_but_the_orchestrator_while_no_answer_is_vetted(doors: Doors) -> None:
    await doors.ask()

    assert doors.bus.requests == [ORCHESTRATOR_ANSWER]


@pytest.mark.parametrize(
    ("body_id", "header_id", "expected"),
    [("from-body", "from-header", "from-body"), (None, "from-header", "from-header"), ("from-body", None, "from-body")],
)
async def test_takes_the_request_id_of_the_body_before_that_of_the_header(
    doors: Doors, body_id: str | None, header_id: str | None, expected: str
) -> None:
    body = {"question": QUESTION, **({"request_id": body_id} if body_id else {})}

    reply = await doors.ask(body, headers={"x-request-id": header_id} if header_id else {})

    assert (reply.headers["x-request-id"], reply.json()["request_id"]) == (expected, expected)


@pytest.mark.parametrize("header", ["has space", "a/b", "x" * 65, "é", "a\tb"])
async def test_makes_up_a_request_id_where_the_header_has_none_of_ours(doors: Doors, header: str) -> None:
    reply = await doors.ask(headers={"x-request-id": header.encode("latin-1")})

    assert reply.status_code == 200
    assert reply.headers["x-request-id"] != header
    assert reply.headers["x-request-id"] == reply.json()["request_id"]


@pytest.mark.parametrize(
    ("settings", "wanted", "expected"),
    [
        ({}, None, 10.0),
        ({"default_deadline_seconds": 3}, None, 3.0),
        ({"llm": "openai"}, None, 60.0),
        ({"llm": "openai", "default_deadline_seconds": 7}, None, 7.0),
        ({}, 2.0, 2.0),
        ({"max_deadline_seconds": 20}, 200.0, 20.0),
    ],
)
async def test_gives_the_orchestrator_the_time_of_the_caller_within_our_bounds(
    settings: dict[str, float], wanted: float | None, expected: float
) -> None:
    left: list[float] = []

    async def answer(question: AnswerQuestion) -> AnswerResult:
        deadline = current_deadline()
        assert deadline is not None
        left.append(deadline.left())
        return await usual_answer(question)

    async with open_doors(**settings) as doors:
        doors.answer_with(answer)
        await doors.ask(headers=headers_with_deadline(wanted) if wanted else {})

    assert expected - 1 < left[0] < expected


async def test_accepts_a_body_without_a_content_type(doors: Doors) -> None:
    reply = await doors.http.post("/v1/ask", content=b'{"question": "x"}')

    assert "content-type" not in reply.request.headers
    assert reply.status_code == 200


@pytest.mark.parametrize(
    "kind", ["application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"']
)
async def test_accepts_json_however_it_is_spelled(doors: Doors, kind: str) -> None:
    reply = await doors.http.post("/v1/ask", content=b'{"question": "x"}', headers={"content-type": kind})

    assert reply.status_code == 200


async def test_many_asks_at_once_each_get_their_own_answer(doors: Doors) -> None:
    ids = [f"ask-{number}" for number in range(MAX_ASKS)]

    replies = await asyncio.gather(*(doors.ask({"question": QUESTION, "request_id": i}) for i in ids))

    assert [reply.json()["request_id"] for reply in replies] == ids


async def test_every_reply_closes_what_browsers_leave_open(doors: Doors) -> None:
    replies = [await doors.ask(), await doors.http.get("/nowhere"), await doors.http.get("/docs")]

    for reply in replies:
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["x-frame-options"] == "DENY"
        assert reply.headers["content-security-policy"].startswith("default-src 'none'")
        assert not [name for name in reply.headers if name.startswith("access-control-")]
