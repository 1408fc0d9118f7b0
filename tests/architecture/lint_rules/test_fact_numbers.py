from pathlib import PurePosixPath

import pytest

from scripts.lint_rules import fact_numbers
from scripts.lint_rules.runner import check_text

GUARD = PurePosixPath("services/orchestrator/guard.py")


def _lines(code: str, path: PurePosixPath = GUARD) -> list[int]:
    return [finding.line for finding in check_text(fact_numbers, path, code)]


@pytest.mark.parametrize(
    "code",
    [
        "x = float(fact.value)",
        "x = round(value)",
        "def f(value: float) -> None: ...",
        "def f(value: float | None) -> None: ...",
        "def average() -> float: ...",
        "value: float = 0",
        "text = f'{fact.value}'",
        "text = f'{found.fact.value} {unit}'",
        "text = f'{comparison.difference}'",
        "text = f'{share:.1f}'",
        "text = f'{share:,}'",
        "text = f'{MAX_ROWS if many else share:,}'",
        "text = f'{share:e}'",
        "text = str(fact.value)",
        "text = format(line.fact.value, 'f')",
        "text = wording.found.format(value=fact.value)",
        "text = ' '.join([a, b], fact.value)",
    ],
)
def test_notices_a_number_that_could_change(code: str) -> None:
    assert _lines(code) == [1]


@pytest.mark.parametrize(
    "code",
    [
        "text = money.plain(fact.value)",
        "text = f'{money.plain(fact.value)} {fact.unit}'",
        "text = f'{period.value}'",
        "text = f'at most {MAX_ROWS:,}'",
        "text = f'at most {MAX_ROWS if many else MAX_ONE:,}'",
        "text = f'{count} of {total:>10}'",
        "timeout_seconds: float = 1.5",
        "def left_seconds() -> float: ...",
        "difference = later.fact.value - earlier.fact.value",
    ],
)
def test_leaves_exact_code_alone(code: str) -> None:
    assert _lines(code) == []


def test_looks_only_where_numbers_of_facts_pass() -> None:
    assert _lines("x = float(y)", PurePosixPath("runtime/metrics.py")) == []
    assert _lines("x = float(y)", PurePosixPath("services/gateway/app.py")) == []
    assert _lines("x = float(y)", PurePosixPath("services/orchestrator/providers/gate.py")) == []
    assert _lines("x = float(y)", PurePosixPath("services/clarify/options.py")) == [1]
    assert _lines("x = float(y)", PurePosixPath("services/facts/lookup.py")) == [1]
