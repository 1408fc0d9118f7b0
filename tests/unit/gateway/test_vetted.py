from contracts.v1.ask import AskRequest
from services.gateway.answering import settle
from services.gateway.faq.vetted import Miss, MissReason, NoVettedAnswers
from tests.support.answers import TODAY, sample_profile


async def test_an_empty_catalogue_misses_every_question() -> None:
    question = settle(AskRequest(question="食堂在哪"), sample_profile(), today=TODAY, request_id="r")

    assert await NoVettedAnswers().find(question) == Miss(MissReason.EMPTY_CATALOGUE)
