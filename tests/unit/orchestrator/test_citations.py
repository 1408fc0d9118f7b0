import pytest

from contracts.codes import Locale
from contracts.v1.facts import Source
from services.clarify.texts import wording
from services.orchestrator.citations import is_named, sources_of, with_known_marks, with_sources
from tests.support.inprocess import passage

A = Source(doc="report.pdf", locator="p1")
B = Source(doc="annual_report.pdf", locator="p7")
SAY = wording(Locale.ZH)


def test_every_given_source_that_the_prose_does_not_name_is_listed() -> None:
    written = with_sources("见 annual_report.pdf 的说明。", [A, B], SAY)

    assert written.text == "见 annual_report.pdf 的说明。\n（资料来源：report.pdf p1）"
    assert written.plain == "见 annual_report.pdf 的说明。"


def test_several_sources_are_listed_in_the_order_given() -> None:
    assert with_sources("因台风。", [A, B], SAY).text.endswith("\n（资料来源：report.pdf p1；annual_report.pdf p7）")


def test_a_prose_that_names_everything_gets_no_list() -> None:
    assert with_sources("见 report.pdf。", [A], SAY).text == "见 report.pdf。"


def test_a_mark_needs_the_whole_list_that_it_points_into() -> None:
    written = with_sources("见 report.pdf，因台风[2]。", [A, B], SAY)

    assert written.text.endswith("（资料来源：report.pdf p1；annual_report.pdf p7）")


def test_a_name_with_a_line_break_writes_no_line_of_its_own() -> None:
    assert with_sources("因台风。", [Source(doc="a\nb.pdf", locator="p1")], SAY).text.count("\n") == 1


@pytest.mark.parametrize(
    ("prose", "known"),
    [
        ("因台风[1]。", "因台风[1]。"),
        ("因台风[9]。", "因台风。"),
        ("因台风【2】。", "因台风[2]。"),
        ("因台风［1］［3］。", "因台风[1]。"),
        ("因台风[1, 2, 77]。", "因台风[1][2]。"),
        ("a typhoon [^3].", "a typhoon."),
        ("a typhoon [0] [00].", "a typhoon."),
        ("[见附件]", "[见附件]"),
    ],
)
def test_marks_that_stand_for_no_given_source_are_taken_out(prose: str, known: str) -> None:
    assert with_known_marks(prose, 2) == known


@pytest.mark.parametrize(
    ("prose", "named"),
    [
        ("见report.pdf。", True),
        ("见《report.pdf》", True),
        ("REPORT.PDF", True),
        ("annual_report.pdf", False),
        ("report.pdfx", False),
        ("report", False),
    ],
)
def test_a_document_is_named_by_its_whole_name_only(prose: str, named: bool) -> None:
    assert is_named("report.pdf", prose) is named


def test_two_passages_of_one_place_are_one_source() -> None:
    assert sources_of([passage("a"), passage("b")]) == (Source(doc="visit_log.pdf", locator="p3"),)
