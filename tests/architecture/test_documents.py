import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
EXAMPLES = ROOT / "docs/examples"
EXAMPLE = EXAMPLES / "ask_over_nats.py"
FENCE = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def documents(root: Path) -> list[Path]:
    """Every page that people read."""
    folders = [
        root,
        root / "docs",
        root / "docs/adr",
        root / "docs/operations",
        root / "contracts",
        root / "deploy",
        root / "deploy/sample",
    ]
    return sorted(path for folder in folders for path in folder.glob("*.md"))


def broken_links(root: Path) -> Iterator[str]:
    """Links to files that are not there."""
    for page in documents(root):
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                yield f"{page.relative_to(root)}: {target}"


def test_all_links_between_documents_lead_somewhere() -> None:
    assert list(broken_links(ROOT)) == []


def test_a_broken_link_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("[one](docs/one.md) [two](two.md#part) [web](https://a.example/x)", "utf-8")
    (tmp_path / "two.md").write_text("", "utf-8")

    assert list(broken_links(tmp_path)) == ["README.md: docs/one.md"]


def test_the_readme_shows_the_bus_example_that_the_tests_run() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert f"```python\n{EXAMPLE.read_text(encoding='utf-8')}```\n" in readme


def test_every_snippet_for_apps_is_an_example_and_every_example_is_shown() -> None:
    pages = ("README.md", "docs/for-apps.md", "docs/durable-asks.md")
    readme, for_apps, durable = ((ROOT / page).read_text(encoding="utf-8") for page in pages)
    examples = {path.read_text(encoding="utf-8") for path in EXAMPLES.iterdir() if path.is_file()}

    snippets = set(FENCE.findall(for_apps)) | set(
        re.findall(r"^```python\n(.*?)^```$", durable, re.MULTILINE | re.DOTALL)
    )

    assert snippets <= examples
    assert examples <= snippets | set(FENCE.findall(readme))


def test_the_readme_opens_with_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first_block = readme.split("```sh\n")[1].split("```")[0]

    assert [line.split("#")[0].strip() for line in first_block.splitlines()] == ["./ragspine demo", "make test"]


@pytest.mark.parametrize(
    ("changelog", "project"),
    [("CHANGELOG.md", "pyproject.toml"), ("contracts/CHANGELOG.md", "contracts/pyproject.toml")],
)
def test_the_newest_release_in_a_changelog_is_the_version_of_its_project(changelog: str, project: str) -> None:
    text = (ROOT / changelog).read_text(encoding="utf-8")
    version = tomllib.loads((ROOT / project).read_text(encoding="utf-8"))["project"]["version"]
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)

    assert headings[0] == "Unreleased"
    assert [heading.strip("[]").split("]")[0] for heading in headings[1:2]] in ([], [version])


def test_make_help_lists_every_target_and_stays_short() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    explained = re.findall(r"^([a-z0-9-]+):.*## ", makefile, re.MULTILINE)

    assert phony is not None
    assert sorted(explained) == sorted(phony[1].split())
    assert len(explained) <= 22
