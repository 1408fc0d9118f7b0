from contracts.v1.ask import AskRequest
from services.gateway.faq.vetted import Miss, MissReason, NoVettedAnswers
from services.gateway.settling import settle
from tests.support.answers import TODAY, sample_profile


async def test_without_a_catalogue_every_question_misses() -> None:
    question = settle(AskRequest(question="食堂在哪"), sample_profile(), today=TODAY, request_id="r")

    assert await NoVettedAnswers().find(question) == Miss(MissReason.OFF)
