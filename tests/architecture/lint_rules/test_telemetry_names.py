from pathlib import PurePosixPath

import pytest

from scripts.lint_rules import telemetry_names
from scripts.lint_rules.runner import check_text

FLOW = PurePosixPath("services/orchestrator/flow.py")


def _lines(code: str, path: PurePosixPath = FLOW) -> list[int]:
    return [finding.line for finding in check_text(telemetry_names, path, code)]


@pytest.mark.parametrize(
    "code",
    [
        "import logging",
        "from logging import getLogger",
        "_log.info('asked', question=text)",
        "_log.info(f'asked {question}')",
        "_log.info(event)",
        "_log.info('asked', 'REVENUE')",
        "self._log.warning('asked', **fields)",
        "set_attributes(answer=text)",
        "telemetry.set_attributes(value=1)",
        "set_attributes(**codes)",
        "span.set_attributes({'ragspine.answer': text})",
        "span.set_attributes(attributes)",
        "span.set_attribute('ragspine.route', 'structured')",
        "span.record_exception(error)",
        "span.add_event('asked')",
    ],
)
def test_notices_what_nobody_allowed(code: str) -> None:
    assert _lines(code) == [1]


@pytest.mark.parametrize(
    "code",
    [
        "_log.info('loaded', rows=3, seconds=0.5)",
        "_log.error('handler_failed', subject=subject, **describe(error))",
        "set_attributes(route='structured', found=2)",
        "span.set_attributes({'http.route': route})",
        "warnings.error(question)",
    ],
)
def test_leaves_codes_counts_and_timings_alone(code: str) -> None:
    assert _lines(code) == []


def test_leaves_the_home_of_the_checks_alone() -> None:
    assert _lines("import logging", PurePosixPath("runtime/logging.py")) == []


def test_leaves_what_runs_in_an_app_alone() -> None:
    assert _lines("import logging", PurePosixPath("contracts/client/over_nats.py")) == []
    assert _lines("import logging", PurePosixPath("contracts/v1/ask.py")) == [1]
