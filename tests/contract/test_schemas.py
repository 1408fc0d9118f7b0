import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from scripts.generate_schemas import ASYNCAPI_FILE, SCHEMA_FOLDER, differences, generated_files, write

ROOT = Path(__file__).resolve().parents[2]
ASK = SCHEMA_FOLDER / "AskRequest.schema.json"


@pytest.fixture
def written(tmp_path: Path) -> Path:
    write(tmp_path)
    return tmp_path


def test_stored_schemas_and_asyncapi_are_as_generated() -> None:
    assert differences(ROOT) == []


def test_the_same_models_give_the_same_bytes() -> None:
    assert generated_files() == generated_files()


@pytest.mark.parametrize("path", [p for p in generated_files() if p != ASYNCAPI_FILE], ids=lambda p: p.name)
def test_every_schema_is_a_valid_json_schema(path: Path) -> None:
    schema = json.loads(generated_files()[path])

    Draft202012Validator.check_schema(schema)


def test_a_removed_field_is_noticed(written: Path) -> None:
    schema = json.loads((written / ASK).read_text(encoding="utf-8"))
    del schema["properties"]["locale"]
    (written / ASK).write_text(json.dumps(schema), encoding="utf-8")

    assert differences(written) == [f"{ASK} differs from the models"]


def test_a_retyped_field_is_noticed(written: Path) -> None:
    text = (written / ASK).read_text(encoding="utf-8")
    (written / ASK).write_text(text.replace('"boolean"', '"string"'), encoding="utf-8")

    assert differences(written) == [f"{ASK} differs from the models"]


def test_a_missing_schema_is_noticed(written: Path) -> None:
    (written / ASK).unlink()

    assert differences(written) == [f"{ASK} is missing"]


def test_a_schema_without_a_message_is_noticed_and_removed_by_writing(written: Path) -> None:
    left_over = SCHEMA_FOLDER / "Forgotten.schema.json"
    (written / left_over).write_text("{}", encoding="utf-8")

    assert differences(written) == [f"{left_over} belongs to no message"]

    write(written)
    assert differences(written) == []
