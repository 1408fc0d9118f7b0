"""The pages for operators: every link leads to a page, and to a section of it."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def pages(root: Path) -> list[Path]:
    return [root / "docs/operations.md", *sorted((root / "docs/operations").glob("*.md"))]


def anchors(page: Path) -> set[str]:
    """The sections of a page, as a web page names them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def dead_links(root: Path) -> Iterator[str]:
    for page in pages(root):
        for link in LINK.findall(page.read_text(encoding="utf-8")):
            target, _, anchor = link.partition("#")
            file = page.parent / target if target else page
            if "://" not in link and not (file.exists() and (not anchor or anchor in anchors(file))):
                yield f"{page.relative_to(root)}: {link}"


def test_every_link_of_the_operations_pages_leads_to_its_section() -> None:
    assert list(dead_links(ROOT)) == []


def test_the_index_names_every_page() -> None:
    index, *others = pages(ROOT)

    assert others
    assert [p.name for p in others if f"(operations/{p.name})" not in index.read_text(encoding="utf-8")] == []


def test_a_dead_link_and_a_missing_section_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "docs/operations").mkdir(parents=True)
    (tmp_path / "docs/operations/a.md").write_text("## One two\n[x](b.md) [y](#one-two) [z](#three)")
    (tmp_path / "docs/operations.md").write_text("[a](operations/a.md#one-two) [b](operations/a.md#gone) [w](http://x)")

    assert list(dead_links(tmp_path)) == [
        "docs/operations.md: operations/a.md#gone",
        "docs/operations/a.md: b.md",
        "docs/operations/a.md: #three",
    ]
