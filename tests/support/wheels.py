"""The wheel of contracts/, and the environment of an app that has installed it."""

import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints; raises when it fails."""
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


def build_contracts_wheel(folder: Path) -> Path:
    """Build the wheel into a folder."""
    run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder, cwd=ROOT / "contracts")
    return next(folder.glob("ragspine_contracts-*.whl"))


def app_environment(folder: Path, wheel: Path) -> Path:
    """The interpreter of an app: the wheel installed, its dependencies ours, so that no registry is asked."""
    run(sys.executable, "-m", "venv", folder, cwd=folder)
    python = folder / "bin/python"
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=folder)
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
    (site / "packages_of_the_test_run.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return python
