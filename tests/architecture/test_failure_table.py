"""The page of failures: every row names a test, and every test that it names exists."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/operations/failures.md"
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def missing(text: str, root: Path = ROOT) -> Iterator[str]:
    """Every named test that is nowhere."""
    for file, name in NAMED.findall(text):
        path = root / file
        if not path.is_file() or not re.search(rf"^(?:async )?def {name}\(", path.read_text(encoding="utf-8"), re.M):
            yield f"{file}::{name}"


def untested(text: str) -> list[str]:
    """Every row of a table that names no test."""
    rows = [line for line in text.splitlines() if line.startswith("| ") and "|---" not in line]
    return [row for row in rows if not row.startswith("| how it fails") and not NAMED.search(row)]


def test_every_named_test_exists() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert len(NAMED.findall(text)) > 40
    assert list(missing(text)) == []


def test_every_row_names_a_test() -> None:
    assert untested(PAGE.read_text(encoding="utf-8")) == []


def test_a_missing_test_and_a_row_without_one_are_noticed() -> None:
    text = (
        "| NATS is killed | 503 | – | – | – |\n`tests/e2e/test_dead_parts.py::test_nobody` `tests/e2e/gone.py::test_x`"
    )

    assert list(missing(text)) == ["tests/e2e/test_dead_parts.py::test_nobody", "tests/e2e/gone.py::test_x"]
    assert untested(text) == ["| NATS is killed | 503 | – | – | – |"]
