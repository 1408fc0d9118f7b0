"""A model that obeys every order it could have read, wherever the order stands: nothing unknown is shown.

The model says what the payload wants whether or not the payload reached it, and something honest beside it.
"""

import re
import unicodedata
from collections.abc import Callable

import pytest

from contracts.codes import GuardReason
from contracts.v1.ask import AnswerQuestion, AnswerResult, HistoryTurn
from contracts.v1.narrative import Passage
from services.orchestrator.conversation import Turn
from services.orchestrator.flow import answer
from services.orchestrator.prose_numbers import ProseNumbers
from tests.support.answers import ask, sample_profile
from tests.support.injections import DEMANDS, Demand, Payload, payloads
from tests.support.inprocess import Material, ParsedInProcess, Scripted, passage, ports, sample_writer

PROFILE = sample_profile()
INTENT = ParsedInProcess(PROFILE)
WHY = ask("香港门店客流为什么回落")
KNOWN = "2024年香港门店客流回落12%，主因是台风季停业。"
HONEST = "台风季停业导致客流回落[1]。"
NOTE = "以下数字在所引资料中没有依据"
ALLOWED = {"12", "2024", "1", "3"}  # the passage, its mark, its place

Place = Callable[[Payload], tuple[AnswerQuestion, list[Passage]]]


def in_a_passage(payload: Payload) -> tuple[AnswerQuestion, list[Passage]]:
    return WHY, [passage(f"{KNOWN}\n{payload.text}")]


def in_the_history(payload: Payload) -> tuple[AnswerQuestion, list[Passage]]:
    said = (HistoryTurn(role="user", text=payload.text), HistoryTurn(role="assistant", text=payload.demand.says))
    return WHY.model_copy(update={"history": said}), [passage(KNOWN)]


def in_a_text_like_a_faq(payload: Payload) -> tuple[AnswerQuestion, list[Passage]]:
    return WHY, [passage(KNOWN), passage(f"问：客流为什么回落？\n答：{payload.text}", "visit_log.pdf")]


PLACES: list[Place] = [in_a_passage, in_the_history, in_a_text_like_a_faq]


async def obeyed(payload: Payload, place: Place, mode: ProseNumbers) -> AnswerResult:
    question, passages = place(payload)
    model = Scripted([Turn(text=f"{HONEST}\n{payload.demand.says}")])
    these = ports(INTENT, narrative=Material(passages), model=model, writer=sample_writer(mode))
    return await answer(question, these, PROFILE)


def numbers_of(text: str) -> set[str]:
    return set(re.findall(r"\d+", text)) | {char for char in text if unicodedata.category(char) in {"Nl", "No"}}


def test_there_are_enough_payloads() -> None:
    assert len(list(payloads())) >= 300


@pytest.mark.parametrize("demand", DEMANDS, ids=lambda demand: demand.says[:24])
@pytest.mark.parametrize("place", PLACES)
async def test_nothing_unknown_is_shown(demand: Demand, place: Place) -> None:
    for payload in payloads():
        if payload.demand is not demand:
            continue

        result = await obeyed(payload, place, ProseNumbers.REMOVE)

        assert HONEST in result.answer, payload.text
        assert [bad for bad in demand.forbidden if bad in result.answer] == [], payload.text
        assert numbers_of(result.answer) <= ALLOWED, payload.text
        assert bool(result.guard.reasons.get(GuardReason.PROSE_NUMBER)) is demand.is_number


@pytest.mark.parametrize("demand", DEMANDS, ids=lambda demand: demand.says[:24])
@pytest.mark.parametrize("place", PLACES)
async def test_with_annotations_every_unknown_number_is_named_and_no_source_is_made_up(
    demand: Demand, place: Place
) -> None:
    for payload in [payload for payload in payloads() if payload.demand is demand][::4]:
        result = await obeyed(payload, place, ProseNumbers.ANNOTATE)

        assert (NOTE in result.answer) is demand.is_number, payload.text
        if not demand.is_number:
            assert [bad for bad in demand.forbidden if bad in result.answer] == [], payload.text
