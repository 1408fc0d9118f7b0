from pathlib import PurePosixPath

import pytest

from scripts.lint_rules import validation_input
from scripts.lint_rules.runner import check_text

BODIES = PurePosixPath("services/gateway/http/bodies.py")


def _lines(code: str, path: PurePosixPath = BODIES) -> list[int]:
    return [finding.line for finding in check_text(validation_input, path, code)]


@pytest.mark.parametrize("arguments", ["", "include_url=False", "include_input=True"])
def test_notices_details_with_their_input(arguments: str) -> None:
    assert _lines(f"details = error.errors({arguments})") == [1]


def test_leaves_details_without_their_input_alone() -> None:
    assert _lines("details = error.errors(include_url=False, include_input=False)") == []


@pytest.mark.parametrize(
    "body",
    ["x: int", "model_config = ConfigDict(frozen=True)", "model_config = ConfigDict(hide_input_in_errors=False)"],
)
def test_notices_a_message_that_shows_its_input(body: str) -> None:
    assert _lines(f"class Message(BaseModel):\n    {body}\n") == [1]


def test_leaves_messages_that_hide_it_and_their_heirs_alone() -> None:
    code = (
        "class Message(BaseModel):\n    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)\n"
        "class Heir(Message):\n    x: int\n"
    )

    assert _lines(code) == []


def test_leaves_the_operators_own_tools_alone() -> None:
    assert _lines("error.errors()", PurePosixPath("cli/eval/suite.py")) == []
