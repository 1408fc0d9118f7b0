import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

ASK_AND_PRINT = """
import importlib.util
assert importlib.util.find_spec("contracts") is None, "the name of our folder leaked"
from ragspine_contracts import subjects
from ragspine_contracts.v1 import AskRequest
print(subjects.ask("reports"), AskRequest(question="REVENUE?").model_dump_json(exclude_defaults=True))
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def _run(*command: str | Path, cwd: Path) -> str:
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder, cwd=ROOT / "contracts")
    return next(folder.glob("ragspine_contracts-*.whl"))


@pytest.fixture
def app_python(tmp_path: Path) -> Path:
    """The interpreter of an app's own environment, which has pydantic (ours, so that no registry is asked)."""
    _run(sys.executable, "-m", "venv", tmp_path / "app", cwd=tmp_path)
    python = tmp_path / "app/bin/python"
    site = Path(_run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path).strip())
    (site / "pydantic_of_the_test_run.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return python


def test_the_installed_wheel_imports_alone_under_its_own_name(wheel: Path, app_python: Path, tmp_path: Path) -> None:
    _run(app_python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=tmp_path)

    printed = _run(app_python, "-I", "-c", ASK_AND_PRINT, cwd=tmp_path)

    assert printed == 'ragspine.v1.ask.reports {"question":"REVENUE?"}\n'


def test_the_wheel_holds_every_module_and_nothing_else(wheel: Path) -> None:
    sources = {"__init__.py", "py.typed", "subjects.py", "codes.py"}
    sources |= {f"v1/{path.name}" for path in (ROOT / "contracts/v1").glob("*.py")}

    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}

    assert packed == {f"ragspine_contracts/{name}" for name in sources}
