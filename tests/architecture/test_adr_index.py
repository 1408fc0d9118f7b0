import shutil
from pathlib import Path

import pytest

from scripts.adr_index import FOLDER, check, index

ROOT = Path(__file__).resolve().parents[2]
FIRST = "0001-clarify-is-a-library.md"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / FOLDER, tmp_path / FOLDER)
    return tmp_path


def _edit(copy: Path, old: str, new: str) -> None:
    path = copy / FOLDER / FIRST
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_the_decisions_are_in_order(copy: Path) -> None:
    assert check(copy) == []


def test_a_decision_that_is_not_in_the_index_is_noticed(copy: Path) -> None:
    text = (copy / FOLDER / FIRST).read_text(encoding="utf-8")
    (copy / FOLDER / "0999-new.md").write_text(text.replace("# 0001.", "# 0999."), encoding="utf-8")

    assert check(copy) == ["the index is stale: run `python -m scripts.adr_index`"]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("## Revisit when", "## Later", "sections"),
        ("## Alternatives\n", "", "sections"),
        ("- Status: accepted", "- Status: maybe", "Status"),
        ("# 0001.", "# 0002.", "same number"),
    ],
)
def test_an_unfinished_decision_is_noticed(copy: Path, old: str, new: str, complaint: str) -> None:
    _edit(copy, old, new)

    assert any(FIRST in fault and complaint in fault for fault in check(copy))


def test_a_number_that_is_used_twice_is_noticed(copy: Path) -> None:
    shutil.copy(copy / FOLDER / FIRST, copy / FOLDER / "0001-again.md")

    assert "the number 0001 is used twice" in check(copy)


def test_the_index_shows_a_superseded_decision_as_such(copy: Path) -> None:
    _edit(copy, "- Status: accepted", "- Status: superseded by 0999")

    assert f"]({FIRST}) (superseded by 0999)\n" in index(copy)
