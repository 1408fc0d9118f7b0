"""`ragspine.v1.ask.<app>`: the same ask path for apps on the bus."""

import asyncio
from datetime import date

import pytest

from contracts import subjects
from contracts.codes import ErrorCode
from contracts.v1.ask import AnswerQuestion, AnswerResult, AskRequest
from runtime.deadline import Deadline
from runtime.errors import AskError, FactSourceUnavailableError
from tests.component.gateway.doors import ANSWER, QUESTION, Doors, open_doors, usual_answer


async def ask(doors: Doors, request: AskRequest, *, app: str = "local", seconds: float = 5) -> AnswerResult:
    return await doors.bus.request(subjects.ask(app), request, AnswerResult, deadline=Deadline.after(seconds))


async def refusal(doors: Doors, request: AskRequest, *, seconds: float = 5) -> AskError:
    with pytest.raises(AskError) as caught:
        await ask(doors, request, seconds=seconds)
    return caught.value


@pytest.mark.parametrize("app", ["local", "crm", "a-b_c"])
async def test_answers_every_app(doors: Doors, app: str) -> None:
    answer = await ask(doors, AskRequest(question=QUESTION, request_id=ANSWER.request_id), app=app)

    assert answer == ANSWER


async def test_settles_the_ask_as_over_http(doors: Doors) -> None:
    request = AskRequest(question=QUESTION, reference_date=date(2024, 6, 1), default_entity="ACME_HK")

    answer = await ask(doors, request)
    over_http = await doors.ask(request.model_dump(mode="json", exclude_defaults=True))

    first, second = doors.asked
    assert answer.request_id == first.request_id
    assert first.model_copy(update={"request_id": ""}) == second.model_copy(update={"request_id": ""})
    assert over_http.status_code == 200


async def test_names_the_field_that_was_refused(doors: Doors) -> None:
    error = await refusal(doors, AskRequest(question=QUESTION, default_entity="NOBODY"))

    assert error.code is ErrorCode.INVALID_REQUEST
    assert [problem.field for problem in error.problems] == ["default_entity"]
    assert not doors.asked


async def test_refuses_unknown_fields(doors: Doors) -> None:
    class Misspelt(AskRequest):
        quesiton: str = "x"

    error = await refusal(doors, Misspelt(question=QUESTION))

    assert [problem.field for problem in error.problems] == ["quesiton"]


async def test_passes_on_the_error_of_the_orchestrator(doors: Doors) -> None:
    async def fails(_: AnswerQuestion) -> AnswerResult:
        raise FactSourceUnavailableError

    doors.answer_with(fails)

    error = await refusal(doors, AskRequest(question=QUESTION))

    assert (error.code, error.retryable) == (ErrorCode.FACT_SOURCE_UNAVAILABLE, True)


async def test_gives_up_on_an_orchestrator_that_does_not_answer_in_time(doors: Doors) -> None:
    async def sleeps(question: AnswerQuestion) -> AnswerResult:
        await asyncio.sleep(60)
        return await usual_answer(question)

    doors.answer_with(sleeps)

    error = await refusal(doors, AskRequest(question=QUESTION), seconds=0.3)

    assert error.code is ErrorCode.DEADLINE_EXCEEDED


async def test_shares_its_places_with_http() -> None:
    release = asyncio.Event()

    async def waits(question: AnswerQuestion) -> AnswerResult:
        await release.wait()
        return await usual_answer(question)

    async with open_doors(max_asks=1) as doors:
        doors.answer_with(waits)
        running = asyncio.create_task(doors.ask())
        await doors.arrivals.get()
        error = await refusal(doors, AskRequest(question=QUESTION))
        release.set()
        await running

    assert (error.code, error.retryable) == (ErrorCode.OVERLOADED, True)
