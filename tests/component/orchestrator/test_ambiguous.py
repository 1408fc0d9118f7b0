"""A name of several metrics, and a name that nobody knows: asked back with what may be meant, and never picked."""

import pytest

from contracts.codes import AnswerKind
from contracts.v1.ask import AnswerQuestion, AnswerResult
from domain.profile import CompanyProfile
from services.orchestrator.flow import answer
from tests.support.inprocess import ParsedInProcess, StoredFacts, ports
from tests.support.profiles import REFERENCE_DATE

PROFILE = CompanyProfile.model_validate(
    {
        "company": {"name": "Clearleaf", "default_entity": "LEAF"},
        "entities": {
            "LEAF": {"label": "Clearleaf", "synonyms": ["清叶茶业"]},
            "BREW": {"label": "Brewhouse", "synonyms": ["新酿酒业"]},
            **{f"SHOP{n}": {"label": f"Corner shop {n}"} for n in range(8)},
        },
        "metrics": {
            "EPS_BASIC": {"unit": "USD_PER_SHARE", "synonyms": ["basic EPS", "基本每股收益"]},
            "EPS_DILUTED": {"unit": "USD_PER_SHARE", "synonyms": ["diluted EPS", "稀释每股收益"]},
            "REVENUE": {"unit": "USD_M", "synonyms": ["revenue", "营收"]},
        },
        "ambiguous": {"EPS": ["EPS_BASIC", "EPS_DILUTED"], "每股收益": ["EPS_BASIC", "EPS_DILUTED"]},
    }
)
PARSER = ParsedInProcess(PROFILE)


async def asked(question: str) -> AnswerResult:
    request = AnswerQuestion(
        question=question, reference_date=REFERENCE_DATE, request_id="t", profile_digest=PROFILE.digest()
    )
    return await answer(request, ports(PARSER, StoredFacts(())), PROFILE)


def options(result: AnswerResult) -> list[tuple[str, str]]:
    assert result.clarification is not None
    return [(option.label, option.question) for option in result.clarification.options]


@pytest.mark.parametrize("question", ["Clearleaf EPS in FY2024?", "清叶茶业2024年每股收益是多少"])
async def test_a_name_of_several_metrics_is_asked_back_with_each_of_them(question: str) -> None:
    result = await asked(question)

    assert result.answer_kind is AnswerKind.CLARIFICATION
    assert [label for label, _ in options(result)] == ["EPS_BASIC", "EPS_DILUTED"]


async def test_each_option_asks_for_its_metric_in_the_users_own_words() -> None:
    first, *_ = options(await asked("Why did Clearleaf's EPS fall in FY2024?"))
    narrowed = await asked(first[1])

    assert first[1] == "Why did Clearleaf's EPS_BASIC fall in FY2024?"
    assert [(tool.scope.metric, tool.scope.period.value) for tool in narrowed.tool_results] == [("EPS_BASIC", "2024")]


async def test_a_name_that_says_which_is_not_asked_back() -> None:
    result = await asked("Clearleaf diluted EPS in FY2024?")

    assert [tool.scope.metric for tool in result.tool_results] == ["EPS_DILUTED"]


async def test_other_words_that_were_not_understood_are_named_and_no_option_drops_them() -> None:
    result = await asked("Clearleaf budgeted EPS in FY2024?")

    assert '"budgeted"' in result.answer
    assert options(result) == []


async def test_what_a_term_of_several_metrics_means_is_told() -> None:
    result = await asked("What does EPS mean?")

    assert result.answer_kind is AnswerKind.REFUSAL
    assert not result.tool_results


@pytest.mark.parametrize(
    ("question", "label", "reworded"),
    [
        ("Cleerleaf revenue FY2024", "Clearleaf", "How much is LEAF REVENUE FY2024?"),
        ("青叶茶业2024年营收", "Clearleaf", "LEAF REVENUE FY2024是多少"),
        ("brewhuose revenue FY2024", "Brewhouse", "How much is BREW REVENUE FY2024?"),
    ],
)
async def test_the_nearest_known_name_is_an_option_and_not_taken(question: str, label: str, reworded: str) -> None:
    result = await asked(question)

    assert result.answer_kind is AnswerKind.CLARIFICATION
    assert options(result)[0] == (label, reworded)
    assert not result.tool_results


async def test_of_many_entities_none_is_offered_that_is_unlike_the_word() -> None:
    labels = [label for label, _ in options(await asked("Tencent revenue FY2024"))]

    assert labels == ['Without "Tencent"']


async def test_a_nearest_name_takes_no_other_word_with_it() -> None:
    labels = [label for label, _ in options(await asked("Cleerleaf budgeted revenue FY2024"))]

    assert "Clearleaf" not in labels
