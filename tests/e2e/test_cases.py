"""The black-box cases, on stacks of their own."""

from pathlib import Path

import pytest

from tests.cases.observing import Case
from tests.cases.running import Able, judge_all, read_cases

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(900)]


async def test_every_case_passes(tmp_path: Path) -> None:
    cases = read_cases()
    probes = [_probe("heard", prompt_contains=["香港2024营收"]), _probe("counted", max_model_calls=0)]

    verdicts = await judge_all([*cases, *probes], Able(), folder=tmp_path)

    failed = {verdict.id: verdict.reasons for verdict in verdicts if verdict.outcome == "failed"}
    assert failed == {"counted": ("model calls 2 > 0",)}  # and so the model takes part, and is watched
    assert [verdict.id for verdict in verdicts if verdict.outcome == "skipped"] == []
    assert sum(verdict.outcome == "passed" for verdict in verdicts) >= 100


def _probe(name: str, **expected: object) -> Case:
    """A case of a lying model, with other expectations."""
    [case] = [case for case in read_cases(["lying"]) if case["id"] == "lying-001"]
    return {**case, "id": name, "expect": expected}
