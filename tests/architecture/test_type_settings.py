"""Both type checkers, with our settings, are shown code that they must refuse."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

# A new outcome that a place which must decide has forgotten.
FORGOTTEN_ARM = """
from typing import assert_never

from contracts.v1.facts import Conflicting, Found, NotFound, UnrecognizedParam


def name(outcome: Found | NotFound | UnrecognizedParam | Conflicting) -> str:
    match outcome:
        case Found():
            return "found"
        case NotFound():
            return "not found"
        case UnrecognizedParam():
            return "unrecognized"
        case _:
            assert_never(outcome)
"""
COMPLETE = FORGOTTEN_ARM.replace(
    "        case _:", '        case Conflicting():\n            return "both"\n        case _:'
)
UNTYPED = "def load(rows):\n    return rows\n"
WRONG_FIELD = "from contracts.v1.ask import HistoryTurn\n\nHistoryTurn(role='user', texts='hello')\n"
WRONG_TYPE = "count: int = 'three'\n"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Our settings and contracts, with room for a module of the product."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pyright"]
    settings |= {"include": ["domain"], "venvPath": str(Path(sys.prefix).parent), "venv": Path(sys.prefix).name}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    (tmp_path / "contracts").symlink_to(ROOT / "contracts")
    (tmp_path / "domain").mkdir()
    (tmp_path / "domain/__init__.py").touch()
    return tmp_path


def _pyright(root: Path) -> int:
    command = [sys.executable, "-m", "pyright", "--project", str(root)]
    return subprocess.run(command, cwd=root, check=False, capture_output=True, text=True).returncode


def _mypy(root: Path) -> int:
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "-p", "domain"]
    command += ["--cache-dir", str(ROOT / ".mypy_cache/negative")]
    return subprocess.run(command, cwd=root, check=False, capture_output=True, text=True).returncode


def test_complete_code_passes_both(copy: Path) -> None:
    (copy / "domain/sample.py").write_text(COMPLETE, encoding="utf-8")

    assert (_pyright(copy), _mypy(copy)) == (0, 0)


@pytest.mark.parametrize(
    "code",
    [FORGOTTEN_ARM, UNTYPED, WRONG_FIELD, WRONG_TYPE],
    ids=["forgotten_arm", "untyped", "wrong_field", "wrong_type"],
)
def test_faulty_code_fails_both(copy: Path, code: str) -> None:
    (copy / "domain/sample.py").write_text(code, encoding="utf-8")

    assert (_pyright(copy), _mypy(copy)) == (1, 1)
