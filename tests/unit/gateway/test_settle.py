from datetime import date

import pytest

from contracts.v1.ask import AskRequest
from runtime.errors import InvalidRequestError
from services.gateway.settling import settle
from tests.support.answers import TODAY, sample_profile


def test_stamps_today_where_the_ask_names_no_date() -> None:
    question = settle(AskRequest(question="x"), sample_profile(), today=TODAY, request_id="r")

    assert (question.reference_date, question.request_id) == (TODAY, "r")


def test_keeps_the_date_and_id_of_the_ask() -> None:
    ask = AskRequest(question="x", reference_date=date(2020, 2, 29), request_id="mine")

    question = settle(ask, sample_profile(), today=TODAY, request_id="r")

    assert (question.reference_date, question.request_id) == (date(2020, 2, 29), "mine")


@pytest.mark.parametrize("entity", sorted(sample_profile().entities))
def test_accepts_every_entity_of_the_profile_as_default(entity: str) -> None:
    question = settle(AskRequest(question="x", default_entity=entity), sample_profile(), today=TODAY, request_id="r")

    assert question.default_entity == entity


@pytest.mark.parametrize("entity", ["NOBODY", "acme_hk", "hk", "香港", " ACME_HK"])
def test_refuses_a_default_entity_that_is_no_code_of_the_profile(entity: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        settle(AskRequest(question="x", default_entity=entity), sample_profile(), today=TODAY, request_id="r")

    assert [problem.field for problem in caught.value.problems] == ["default_entity"]
    assert entity not in caught.value.problems[0].reason
