"""The black-box cases, on stacks of their own."""

from pathlib import Path

import pytest

from tests.cases.running import Able, judge_all, read_cases

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(600)]


async def test_every_case_that_needs_facts_only_passes(tmp_path: Path) -> None:
    verdicts = await judge_all(read_cases(), Able(), folder=tmp_path)

    failed = {verdict.id: verdict.reasons for verdict in verdicts if verdict.outcome == "failed"}
    assert failed == {}
    assert sum(verdict.outcome == "passed" for verdict in verdicts) >= 50
