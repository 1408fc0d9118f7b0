import json
from pathlib import Path
from typing import Literal

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from contracts import codes
from contracts.codes import ErrorCode, FactStatus, OperationKind
from contracts.v1 import ErrorReply, FactOutcomes, ParsedIntent
from scripts.generate_schemas import SCHEMA_FOLDER
from tests.contract.examples import EXAMPLES, public_messages, stored_examples, unreadable

PATHS = stored_examples()


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def test_every_message_has_an_example_and_every_folder_a_message() -> None:
    folders = {path.parent.name for path in PATHS}

    assert folders == set(public_messages())


@pytest.mark.parametrize("path", PATHS, ids=_name)
def test_reads_every_stored_example_without_loss(path: Path) -> None:
    model = public_messages()[path.parent.name]

    assert unreadable(model, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", PATHS, ids=_name)
def test_what_is_read_and_written_again_is_the_same_message(path: Path) -> None:
    model = public_messages()[path.parent.name]
    message = model.model_validate_json(path.read_text(encoding="utf-8"))

    again = model.model_validate_json(message.model_dump_json())

    assert again == message


@pytest.mark.parametrize("path", PATHS, ids=_name)
def test_every_message_fits_its_published_schema(path: Path) -> None:
    model = public_messages()[path.parent.name]
    schema = json.loads((SCHEMA_FOLDER / f"{model.__name__}.schema.json").read_text(encoding="utf-8"))
    message = model.model_validate_json(path.read_text(encoding="utf-8"))

    Draft202012Validator(schema).validate(json.loads(message.model_dump_json()))


def test_examples_show_every_kind_of_operation() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (EXAMPLES / "ParsedIntent").glob("*.json")]
    operations = [ParsedIntent.model_validate_json(text).operation for text in texts]

    assert {operation.kind for operation in operations if operation} == set(OperationKind)


def test_examples_show_every_arm_of_a_fact_outcome() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (EXAMPLES / "FactOutcomes").glob("*.json")]
    shown = {outcome.status for text in texts for outcome in FactOutcomes.model_validate_json(text).outcomes}

    assert shown == set(FactStatus)


def test_examples_show_every_error() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (EXAMPLES / "ErrorReply").glob("*.json")]
    shown = {ErrorReply.model_validate_json(text).code for text in texts}

    assert shown == set(ErrorCode)


@pytest.mark.parametrize(
    ("folder", "codes_shown"),
    [
        ("AnswerResult", codes.Route),
        ("AnswerResult", codes.AnswerKind),
        ("AnswerResult", codes.ClarifyMode),
        ("AnswerResult", codes.FactStatus),
        ("AnswerResult", codes.GuardReason),
        ("ParsedIntent", codes.PeriodType),
        ("ParsedIntent", codes.ResidueKind),
        ("LoadFacts", codes.PeriodType),
        ("LoadFacts", codes.ReviewStatus),
    ],
)
def test_examples_of_a_message_show_every_code(folder: str, codes_shown: type[codes.StrEnum]) -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (EXAMPLES / folder).glob("*.json"))

    missing = [code.value for code in codes_shown if f'"{code.value}"' not in text]

    assert missing == []


class _Reply(BaseModel):
    code: str
    count: int = 0


class _ReplyWithoutCount(BaseModel):
    code: str


class _ReplyWithTextCount(BaseModel):
    code: str
    count: str = ""


class _ReplyWithFloatCount(BaseModel):
    code: str
    count: float = 0


class _ReplyWithNewRequiredField(_Reply):
    reason: str


class _ReplyWithFewerCodes(BaseModel):
    code: Literal["closed"]
    count: int = 0


class _ReplyWithNewOptionalField(_Reply):
    reason: str = ""


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        (_ReplyWithoutCount, "count"),
        (_ReplyWithTextCount, "count"),
        (_ReplyWithFloatCount, "count"),
        (_ReplyWithNewRequiredField, "reason"),
        (_ReplyWithFewerCodes, "code"),
    ],
)
def test_a_breaking_change_is_noticed_by_message_and_field(changed: type[BaseModel], field: str) -> None:
    stored = _Reply(code="open", count=3).model_dump_json()

    problems = unreadable(changed, stored)

    assert [problem.split(":")[0] for problem in problems] == [f"{changed.__name__}.{field}"]


def test_a_new_optional_field_breaks_nothing() -> None:
    stored = _Reply(code="open", count=3).model_dump_json()

    assert unreadable(_ReplyWithNewOptionalField, stored) == []
