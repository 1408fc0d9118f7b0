from pathlib import PurePosixPath

import pytest

from contracts import subjects
from scripts.lint_rules import subject_literals
from scripts.lint_rules.runner import check_text

HANDLERS = PurePosixPath("services/facts/handlers.py")


def _lines(code: str, path: PurePosixPath = HANDLERS) -> list[int]:
    return [finding.line for finding in check_text(subject_literals, path, code)]


@pytest.mark.parametrize("subject", [subjects.FACTS_QUERY, subjects.ask("reports"), "ragspine.v2.facts.query"])
def test_notices_a_spelled_subject(subject: str) -> None:
    assert _lines(f"call({subject!r})") == [1]


def test_notices_a_subject_inside_an_f_string() -> None:
    assert _lines("call(f'ragspine.v1.ask.{app}')") == [1]


@pytest.mark.parametrize("header", [subjects.HEADER_DEADLINE, subjects.HEADER_ERROR.upper(), subjects.HEADER_TRACE])
def test_notices_a_spelled_header(header: str) -> None:
    assert _lines(f"headers[{header!r}] = '1'") == [1]


def test_leaves_docstrings_and_other_strings_alone() -> None:
    code = '"""Serves `ragspine.v1.facts.query`."""\nname = "ragspine"\ncall(subjects.FACTS_QUERY)\n'

    assert _lines(code) == []


def test_leaves_the_home_of_the_subjects_alone() -> None:
    assert _lines(f"X = {subjects.FACTS_QUERY!r}", PurePosixPath("contracts/subjects.py")) == []
