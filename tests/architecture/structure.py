"""What a file tree must look like; each function says what is wrong below `root`, and nothing when all is well."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

Rule = Callable[[Path], list[str]]

PRODUCT = ("contracts", "domain", "runtime", "services", "cli", "scripts", "bench")
WORKERS = ("gateway", "orchestrator", "intent", "facts", "narrative")
ROOMS = ("__init__.py", "__main__.py", "app.py", "handlers.py", "settings.py")
MAX_LINES = 350
MAX_TEST_LINES = 600


def _sources(root: Path, folders: tuple[str, ...]) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((root / folder).rglob("*.py"))


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def long_files(root: Path) -> list[str]:
    """Files that nobody reads to the end."""
    limits = [(path, MAX_LINES) for path in _sources(root, PRODUCT)]
    limits += [(path, MAX_TEST_LINES) for path in _sources(root, ("tests",))]
    counted = [(path, limit, len(path.read_text(encoding="utf-8").splitlines())) for path, limit in limits]
    return [
        f"{_relative(path, root)}: {lines} lines, at most {limit}" for path, limit, lines in counted if lines > limit
    ]


def silent_modules(root: Path) -> list[str]:
    """Modules that do not say what they guarantee."""
    trees = [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in _sources(root, PRODUCT)]
    return [_relative(path, root) for path, tree in trees if not ast.get_docstring(tree)]


def missing_rooms(root: Path) -> list[str]:
    """Workers without one of the rooms that every worker has."""
    rooms = [f"services/{worker}/{room}" for worker in WORKERS for room in ROOMS]
    return [room for room in rooms if not (root / room).exists()]


def packages_without_init(root: Path) -> list[str]:
    """Folders with modules but no `__init__.py`: tools disagree about what they are."""
    folders = {path.parent for path in _sources(root, (*PRODUCT, "tests"))}
    return sorted(_relative(folder, root) for folder in folders if not (folder / "__init__.py").exists())
