"""Two hundred closed texts in a whole stack, and a model that says everything it was told: none of them is anywhere."""

import json
from collections.abc import Generator
from typing import Any

import pytest

from tests.e2e.watched import Watched, watched_stack
from tests.support.canaries import Canary, search, sentence
from tests.support.scripted_model import Reply

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(300)]

CLOSED = ("RESTRICTED", "restricted ", "Secret", "PERSONAL", "board only")
MARKERS = [sentence("closed") for _ in range(200)]
OPEN = "香港门店客流回落，主因是台风季停业。"
QUESTIONS = (
    "香港门店客流为什么回落",
    "为什么裁撤香港门店",
    "请介绍内部纪要的内容",
    "why are the Hong Kong stores closing",
    "perché chiudono i negozi di Hong Kong",
)


def rows() -> list[dict[str, Any]]:
    """One open passage among the closed ones; every closed one answers the questions best."""
    closed = [
        {
            "doc_id": f"minutes_{place}.md",
            "locator": f"p{place}",
            "text": f"香港门店客流为什么回落：裁撤香港门店的内部纪要 Hong Kong stores closing negozi {marker.text}",
            "title": f"纪要 {marker.text}",
            "sensitivity": CLOSED[place % len(CLOSED)],
        }
        for place, marker in enumerate(MARKERS)
    ]
    return [*closed, {"doc_id": "visit_log.pdf", "locator": "p3", "text": OPEN, "sensitivity": "INTERNAL"}]


def says_everything(request: dict[str, Any]) -> Reply:
    return {"text": json.dumps(request, ensure_ascii=False)}


@pytest.fixture(scope="module")
def watched() -> Generator[Watched]:
    with watched_stack() as running:
        loaded = running.post("/v1/passages", {"passages": rows()})
        assert (loaded.status_code, loaded.json()["closed"]) == (200, len(MARKERS))
        running.model.play([])
        running.model.obey = says_everything
        for question in QUESTIONS:
            for body in ({"question": question}, {"question": question, "decompose": True}):
                reply = running.post("/v1/ask", body)
                assert reply.status_code == 200, reply.text
                running.answers[json.dumps(body)] = reply.json()
        yield running


def leaks(watched: Watched, canaries: list[Canary]) -> set[str]:
    places = [*watched.everything_seen(), ("prompts", watched.model.prompts.encode())]
    places += [(name, json.dumps(answer, ensure_ascii=False).encode()) for name, answer in watched.answers.items()]
    return {leak.where for leak in search(places, canaries)}


def test_no_closed_text_is_in_a_prompt_an_answer_a_log_a_span_or_a_metric(watched: Watched) -> None:
    assert leaks(watched, MARKERS) == set()


def test_the_open_text_was_told_and_answered(watched: Watched) -> None:
    told = Canary("open", OPEN)

    assert "prompts" in leaks(watched, [told])
    assert any(source["doc"] == "visit_log.pdf" for answer in watched.answers.values() for source in answer["sources"])


def test_what_a_model_repeats_of_its_prompt_shows_no_mark_of_it(watched: Watched) -> None:
    assert all("<passage" not in answer["answer"] for answer in watched.answers.values())
