from pathlib import Path

import pytest

from tests.architecture import structure

ROOT = Path(__file__).resolve().parents[2]


def _write(root: Path, name: str, text: str = '"""Says something."""\n') -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "rule",
    [structure.long_files, structure.silent_modules, structure.missing_rooms, structure.packages_without_init],
    ids=lambda rule: rule.__name__,
)
def test_the_code_base_keeps_the_rule(rule: structure.Rule) -> None:
    assert rule(ROOT) == []


def test_a_long_file_is_noticed(tmp_path: Path) -> None:
    _write(tmp_path, "domain/long.py", "x = 1\n" * 351)
    _write(tmp_path, "domain/short.py", "x = 1\n" * 350)
    _write(tmp_path, "tests/unit/test_long.py", "x = 1\n" * 601)

    assert structure.long_files(tmp_path) == [
        "domain/long.py: 351 lines, at most 350",
        "tests/unit/test_long.py: 601 lines, at most 600",
    ]


def test_a_module_without_docstring_is_noticed(tmp_path: Path) -> None:
    _write(tmp_path, "services/facts/store.py", "x = 1\n")
    _write(tmp_path, "services/facts/lookup.py")

    assert structure.silent_modules(tmp_path) == ["services/facts/store.py"]


def test_a_missing_room_is_noticed(tmp_path: Path) -> None:
    for worker in structure.WORKERS:
        for room in structure.ROOMS:
            _write(tmp_path, f"services/{worker}/{room}")
    (tmp_path / "services/intent/settings.py").unlink()

    assert structure.missing_rooms(tmp_path) == ["services/intent/settings.py"]


def test_a_folder_that_is_no_package_is_noticed(tmp_path: Path) -> None:
    _write(tmp_path, "domain/__init__.py")
    _write(tmp_path, "domain/words/it.py")

    assert structure.packages_without_init(tmp_path) == ["domain/words"]
