"""Documents become paragraphs whose locators stay the same while the text around them does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.narrative.chunking import MAX_CHARS, cut_markdown, cut_text, front_matter

DOCUMENT = """# Review

Opening words
on two lines.

## Hong Kong
Right below the heading.

Second paragraph.

- one
- two

Costs
-----

```
# no heading

inside a fence
```

| a | b |
|---|---|
| 1 | 2 |

## Hong Kong

Again.
""".splitlines(keepends=True)


def test_a_paragraph_is_found_at_its_headings_and_its_number() -> None:
    pieces = cut_markdown(DOCUMENT)

    assert [(piece.line, piece.locator, piece.title, piece.text.split("\n")[0]) for piece in pieces] == [
        (3, "Review ¶1", "Review", "Opening words on two lines."),
        (7, "Review > Hong Kong ¶1", "Hong Kong", "Right below the heading."),
        (9, "Review > Hong Kong ¶2", "Hong Kong", "Second paragraph."),
        (11, "Review > Hong Kong ¶3", "Hong Kong", "- one"),
        (17, "Review > Costs ¶1", "Costs", "```"),
        (23, "Review > Costs ¶2", "Costs", "| a | b |"),
        (29, "Review > Hong Kong (2) ¶1", "Hong Kong", "Again."),
    ]


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["Sales fell because most", "branches closed."], "Sales fell because most branches closed."),
        (["香港门店客流在第三季度回落，", "主因是台风季停业"], "香港门店客流在第三季度回落，主因是台风季停业"),
        (["Two causes:", "- storms", "- a strike that", "  lasted"], "Two causes:\n- storms\n- a strike that lasted"),
        (["| a | b |", "| 1 | 2 |"], "| a | b |\n| 1 | 2 |"),
        (["> quoted", "> again"], "> quoted\n> again"),
        (["12 Harbour Road  ", "Hong Kong"], "12 Harbour Road\nHong Kong"),
        (["12 Harbour Road\\", "Hong Kong"], "12 Harbour Road\\\nHong Kong"),
        (["```", "a = 1", "b = 2", "```"], "```\na = 1\nb = 2\n```"),
    ],
)
def test_a_line_broken_for_its_width_goes_on_and_one_ended_on_purpose_does_not(lines: list[str], text: str) -> None:
    [piece] = cut_markdown([f"{line}\n" for line in lines])

    assert piece.text == text


def test_short_lines_of_a_plain_text_stay_as_they_are() -> None:
    wide = "The agency channel made up for a part of it: its advisers"

    pieces = cut_text([f"{wide}\n", "met their customers by video.\n", "\n", "Total 12\n", "Other 7\n"])

    assert [piece.text for piece in pieces] == [f"{wide} met their customers by video.", "Total 12\nOther 7"]


def test_a_change_of_one_section_leaves_the_locators_of_the_others() -> None:
    before = {piece.locator for piece in cut_markdown(DOCUMENT)}

    longer = [*DOCUMENT[:3], "\n", "A new paragraph.\n", *DOCUMENT[3:]]

    assert {piece.locator for piece in cut_markdown(longer)} >= before


def test_plain_text_is_numbered_through() -> None:
    pieces = cut_text(["# one\n", "\n", "\n", "two\n", "more\n"])

    assert [(piece.locator, piece.title, piece.text) for piece in pieces] == [
        ("¶1", None, "# one"),
        ("¶2", None, "two\nmore"),
    ]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    sentence = "客流回落的主因是台风季停业。" * 3
    pieces = cut_text([sentence * 60])

    assert [piece.locator for piece in pieces[:2]] == ["¶1.1", "¶1.2"]
    assert all(len(piece.text) <= MAX_CHARS and piece.text.endswith("。") for piece in pieces)
    assert "".join(piece.text for piece in pieces) == sentence * 60


def test_front_matter_says_what_a_document_is_about() -> None:
    lines = ["---\n", "entity: ACME_HK\n", "Period : '2024'\n", "- list\n", "---\n", "Text\n"]

    said, skip = front_matter(lines)

    assert (said, skip) == ({"entity": "ACME_HK", "period": "2024"}, 5)
    assert [(piece.line, piece.text) for piece in cut_markdown(lines, skip)] == [(6, "Text")]


@pytest.mark.parametrize("lines", [[], ["---\n", "entity: ACME_HK\n"], ["Text\n", "---\n"]])
def test_a_rule_is_no_front_matter(lines: list[str]) -> None:
    assert front_matter(lines) == ({}, 0)


@given(st.text(alphabet="# \n-`=ab。.¶", max_size=200))
def test_every_visible_letter_is_kept_once_and_every_locator_is_its_own(text: str) -> None:
    pieces = cut_text(text.splitlines(keepends=True))

    assert sum(piece.text.count("a") for piece in pieces) == text.count("a")
    locators = [piece.locator for piece in cut_markdown(text.splitlines(keepends=True))]
    assert len(locators) == len(set(locators))
