"""Every `RAGSPINE_*` variable that the code reads, and every one that the documents name."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings

import runtime
import services
from runtime.settings import PREFIX

PAGE = Path("docs/operations/settings.md")

_VARIABLE = re.compile(rf"\b{PREFIX}[A-Z0-9]+(?:_[A-Z0-9]+)*\b(?!_)")
_ROW = re.compile(rf"^\| `({PREFIX}[A-Z0-9_]+)` \|.*\| (.*) \|$", re.MULTILINE)
_READ_ELSEWHERE = ("cli/**/*.py", "ragspine", "scripts/setup.sh", "docker-compose.yml", "contracts/client/*.py")
"""Where variables are read without a settings class."""


def settings_of_workers() -> dict[str, FieldInfo]:
    """The variables of all settings classes."""
    for package in (runtime, services):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    ours = [
        kind
        for kind in dict.fromkeys(_all_subclasses(BaseSettings))
        if kind.__module__.startswith(("runtime", "services"))
    ]
    return {
        f"{PREFIX}{name}".upper(): field
        for kind in ours
        if kind.model_config.get("env_prefix") == PREFIX
        for name, field in kind.model_fields.items()
    }


def settings_of_code(root: Path) -> set[str]:
    """All of them, those of the command line, the launcher and compose included."""
    texts = [path.read_text(encoding="utf-8") for pattern in _READ_ELSEWHERE for path in root.glob(pattern)]
    return set(settings_of_workers()).union(*(_VARIABLE.findall(text) for text in texts))


def rows(page: str) -> dict[str, str]:
    """The documented default of each variable."""
    return {name: default.strip() for name, default in _ROW.findall(page)}


def named(root: Path) -> Iterator[tuple[str, str]]:
    """Every variable that a document names, with the document."""
    for path in [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("deploy/**/*.md")]:
        for name in sorted(set(_VARIABLE.findall(path.read_text(encoding="utf-8")))):
            yield str(path.relative_to(root)), name


def _all_subclasses(kind: type[BaseSettings]) -> Iterator[type[BaseSettings]]:
    for sub in kind.__subclasses__():
        yield sub
        yield from _all_subclasses(sub)
