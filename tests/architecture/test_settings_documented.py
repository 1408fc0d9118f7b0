from pathlib import Path

import pytest

from contracts.subjects import ANSWER_STREAM, ASK_STREAM, EVENT_STREAM
from tests.architecture import settings

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / settings.PAGE).read_text(encoding="utf-8")


def _plain(default: object) -> str:
    """How the page writes a default: `10`, not `10.0`."""
    return f"{default:g}" if isinstance(default, float) else str(default).lower()


def test_every_setting_of_the_code_has_a_row() -> None:
    assert sorted(settings.settings_of_code(ROOT) - set(settings.rows(PAGE))) == []


def test_every_setting_that_a_document_names_is_one_of_the_code() -> None:
    known = settings.settings_of_code(ROOT) | {EVENT_STREAM, ASK_STREAM, ANSWER_STREAM}  # names that are no variables

    assert [(page, name) for page, name in settings.named(ROOT) if name not in known] == []


def test_the_defaults_are_those_of_the_code() -> None:
    documented = settings.rows(PAGE)
    wrong = {
        name: (documented[name], field.default)
        for name, field in settings.settings_of_workers().items()
        if isinstance(field.default, str | int | float)
        and field.default != ""
        and documented[name].lower() != _plain(field.default)
    }

    assert wrong == {}


def test_what_must_be_set_is_marked_so() -> None:
    documented = settings.rows(PAGE)
    required = {name for name, field in settings.settings_of_workers().items() if field.is_required()}

    assert {name for name, default in documented.items() if default == "must be set"} == required


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| `RAGSPINE_MAX_ASKS` | asks at once | 256 |", {"RAGSPINE_MAX_ASKS": "256"}),
        ("| `RAGSPINE_MAX_ASKS` | beyond it `429` | 256 |\n| `OTEL_X` | y | 1 |", {"RAGSPINE_MAX_ASKS": "256"}),
        ("`RAGSPINE_MAX_ASKS` is 256", {}),
    ],
)
def test_rows_are_read(text: str, expected: dict[str, str]) -> None:
    assert settings.rows(text) == expected


def test_a_name_of_a_document_is_found_and_a_prefix_is_none(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("`RAGSPINE_TYPO=1`, all of `RAGSPINE_*` and the `RAGSPINE_NATS_…` ones")

    assert list(settings.named(tmp_path)) == [("README.md", "RAGSPINE_TYPO")]


def test_a_variable_that_only_the_command_line_reads_is_found(tmp_path: Path) -> None:
    (tmp_path / "cli/stack").mkdir(parents=True)
    (tmp_path / "cli/stack/x.py").write_text('environment_path("RAGSPINE_NEW_DIR") or f"RAGSPINE_{name}"')

    found = settings.settings_of_code(tmp_path)

    assert "RAGSPINE_NEW_DIR" in found
    assert "RAGSPINE_MAX_ASKS" in found
    assert "RAGSPINE_" not in found
