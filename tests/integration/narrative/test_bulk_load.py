"""`load_files`: files of passages in one transaction, every bad row named, nothing loaded twice."""

import json
from pathlib import Path

import pytest

from runtime.bulk import DatabaseAwayError
from runtime.text_files import FileError
from services.narrative.loader import PassageReport, load_files
from tests.support.answers import sample_profile
from tests.support.databases import Databases
from tests.support.passages import narrative_on

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

SAMPLE = Path(__file__).parents[3] / "deploy" / "sample" / "passages"


async def _load(dsn: str, *paths: Path, **said: str) -> PassageReport:
    return await load_files(dsn, paths, profile=sample_profile(), said=said)


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _line(**fields: object) -> str:
    return json.dumps({"doc_id": "a.pdf", "locator": "p1", "text": "台风", **fields}, ensure_ascii=False)


async def test_the_sample_answers_in_its_scope_and_keeps_what_is_closed(database: str) -> None:
    async with narrative_on(database) as narrative:
        first = await _load(database, SAMPLE)
        again = await _load(database, SAMPLE)
        found = await narrative.search("香港客流为什么回落", entities=["ACME_HK"])
        minutes = await narrative.search("closing of branches by the board")

    assert first.loaded is not None
    assert again.loaded is not None
    assert (first.bad, first.loaded.closed, first.files) == ([], 1, 3)
    assert (again.loaded.inserted, again.loaded.updated, again.loaded.unchanged) == (0, 0, first.loaded.received)
    assert (found.passages[0].doc_id, found.passages[0].locator) == ("hong_kong_2024.md", "Hong Kong in 2024 > 营收 ¶1")
    assert "board_minutes_2024.txt" not in {item.doc_id for item in minutes.passages}


async def test_what_a_changed_document_no_longer_holds_is_withdrawn(database: str, tmp_path: Path) -> None:
    document = _write(tmp_path / "in" / "a.md", "# A\n\nfirst words\n\nsecond words\n")
    await _load(database, tmp_path)
    _write(document, "# A\n\nfirst words\n")

    report = await _load(database, tmp_path)

    async with narrative_on(database) as narrative:
        found = await narrative.search("second words")
    assert report.removed == 1
    assert [(item.doc_id, item.locator) for item in found.passages] == [("in/a.md", "A ¶1")]


async def test_one_bad_row_and_nothing_is_loaded(database: str, tmp_path: Path) -> None:
    lines = [_line(), _line(locator="p2", entity="Nobody"), "[]", _line(text="anders"), _line(locator="p3", period="x")]
    rows = _write(tmp_path / "rows.jsonl", "\n".join(lines))

    report = await _load(database, rows)

    async with narrative_on(database) as narrative:
        assert not (await narrative.search("台风")).material_loaded
    assert report.loaded is None
    assert [(bad.line, bad.column, bad.reason) for bad in report.bad] == [
        (2, "entity", "not an entity of the profile; leave it out where it is about everybody"),
        (3, "", "must be a JSON object with the fields of a passage"),
        (4, "", "line 1 says something else for the same document and locator"),
        (5, "period", "a period is written 2024, 2024H1, 2024Q3, 2024M10 or 2024Q3YTD"),
    ]


async def test_options_say_what_rows_leave_out(database: str, tmp_path: Path) -> None:
    rows = _write(tmp_path / "rows.jsonl", _line() + "\n" + _line(locator="p2", entity="ACME_CN"))

    await _load(database, rows, entity="ACME_HK", period="2024", sensitivity="PUBLIC")

    async with narrative_on(database) as narrative:
        assert await narrative.found("台风", entities=["ACME_HK"]) == ["p1"]
        assert await narrative.found("台风", entities=["ACME_CN"]) == ["p2"]


async def test_files_that_cannot_be_read_are_named(database: str, tmp_path: Path) -> None:
    office = _write(tmp_path / "a.md", "PK\x03\x04")
    same = [_write(tmp_path / folder / "b.md", "text") for folder in "xy"]

    for paths, reason in (
        ([office], "is an Office or ZIP file"),
        ([tmp_path / "none.txt"], "cannot be read: No such file"),
        (same, "would be the same document as"),
        ([_write(tmp_path / "c.docx", "")], "is none of .jsonl"),
    ):
        with pytest.raises(FileError, match=reason):
            await _load(database, *paths)


async def test_a_database_without_tables_says_what_to_do(databases: Databases, tmp_path: Path) -> None:
    with databases.fresh() as dsn, pytest.raises(DatabaseAwayError, match="run the migrations"):
        await _load(dsn, _write(tmp_path / "a.txt", "text"))
