import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def _pins(file: str, pattern: str) -> set[str]:
    return set(re.findall(pattern, (ROOT / file).read_text(encoding="utf-8")))


def test_launcher_and_image_install_the_same_uv() -> None:
    launcher = _pins("ragspine", r"(?m)^UV_VERSION=(\S+)$")
    image = _pins("deploy/Dockerfile", r"astral-sh/uv:(\S+)")

    assert len(launcher) == 1
    assert image == launcher


def test_the_development_environment_takes_its_uv_from_the_launcher() -> None:
    assert _pins("scripts/setup.sh", r"(?m)^UV_VERSION=(\d\S*)") == set()
