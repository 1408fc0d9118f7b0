"""The promise on the pure core: whatever the facts worker replies, the answer holds to it. And the checker can fail."""

from collections.abc import Sequence
from decimal import Decimal, localcontext

import pytest
from hypothesis import given

from contracts.codes import Locale
from contracts.v1.facts import FactOutcome, FactQuery, Found
from services.orchestrator.guard import guard
from services.orchestrator.rendering import render
from tests.properties.promise import PROMISE, numbers, unknown_numbers, violations
from tests.properties.strategies import Choices, batches, choices, fruitless_batches
from tests.support.answers import found, not_found, scope

pytestmark = pytest.mark.timeout(120)  # thousands of examples, on whatever machine

Batch = tuple[Sequence[FactQuery], Sequence[FactOutcome]]


@PROMISE
@given(batches)
def test_no_scope_is_dropped_and_every_number_is_a_fact_a_label_or_exact_arithmetic(batch: Batch) -> None:
    asked, outcomes = batch

    answer = render(guard(asked, outcomes), Locale.ZH)

    assert violations(asked, outcomes, answer.text) == []
    assert violations(asked, outcomes, answer.plain) == []


@PROMISE
@given(fruitless_batches)
def test_nothing_found_means_no_digit_beyond_the_labels_of_the_asked_scopes(batch: Batch) -> None:
    asked, outcomes = batch

    verdict = guard(asked, outcomes)
    texts = [render(verdict, locale).text for locale in Locale]

    assert verdict.triggered
    assert [number for text in texts for number in unknown_numbers(asked, (), text)] == []


@given(batches)
def test_every_language_says_the_same_numbers(batch: Batch) -> None:
    asked, outcomes = batch

    verdict = guard(asked, outcomes)
    said = {locale: sorted(numbers(render(verdict, locale).text)) for locale in Locale}

    assert said[Locale.EN] == said[Locale.IT] == said[Locale.ZH]


@PROMISE
@given(choices)
def test_the_difference_of_two_years_is_exact_and_no_percentage_stands_on_a_base_that_is_not_positive(
    choose: Choices,
) -> None:
    earlier, later = (
        Found(query=scope(year), fact=choose.fact().model_copy(update={"unit": "USD_M"})) for year in ("2023", "2024")
    )

    line = render(guard([later.query, earlier.query], [earlier, later]), Locale.ZH).text.splitlines()[-1]

    with localcontext(prec=200):
        difference = later.fact.value - earlier.fact.value
    assert line.startswith("对比：FY2024 较 FY2023 ")
    assert Decimal(line.split()[3]) == difference
    assert ("%" in line) == (earlier.fact.value > 0)


ASKED = [scope("2023"), scope("2024"), scope("2022")]
OUTCOMES = [found(ASKED[0], "650"), found(ASKED[1], "731.25"), not_found(ASKED[2])]
HONEST = render(guard(ASKED, OUTCOMES), Locale.ZH).text


@pytest.mark.parametrize(
    "sabotaged",
    [
        HONEST + "\n预计 FY2025 约 800",
        HONEST.replace("731.25", "731.3"),
        HONEST.replace("731.25", "７３２"),
        HONEST.replace("650 USD_M", "650 USD_M，同比 ²"),
        HONEST.replace("查不到（", "约 9（"),
        "\n".join(line for line in HONEST.splitlines() if "FY2022" not in line),
        "\n".join(line for line in HONEST.splitlines() if "FY2024" not in line),
        HONEST + "\n- ACME_CN FY2024 REVENUE：731.25 USD_M",
        "\n".join(reversed(HONEST.splitlines()[1:])).join(["对比结果：\n", ""]),
    ],
)
def test_the_checker_finds_a_sabotaged_answer(sabotaged: str) -> None:
    assert violations(ASKED, OUTCOMES, HONEST) == []
    assert violations(ASKED, OUTCOMES, sabotaged) != []
