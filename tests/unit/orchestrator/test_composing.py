import pytest

from contracts.codes import AnswerKind, ClarifyMode, GuardReason, Locale, Route
from contracts.v1.ask import AnswerResult, Clarification, GuardReport
from contracts.v1.facts import Source
from services.orchestrator.composing import compose
from services.orchestrator.parts import Part, answer_kind
from services.orchestrator.rendering import Rendered
from tests.support.answers import ask

SOURCE = Source(doc="a.xlsx", locator="p1")
FOUND = Part(Rendered("found（来源：a）", "found"), sources=(SOURCE,))
REFUSED = Part(Rendered("refused", "refused"))
ASKED_BACK = Part(Rendered("which", "which"), asked_back=True)
FAILED = Part(Rendered("away", "away"), failed=True)


def composed(*parts: Part, banner: str | None = None, locale: Locale = Locale.ZH) -> AnswerResult:
    return compose(
        ask("营收"),
        parts,
        route=Route.COMPOSITE,
        clarification=Clarification(mode=ClarifyMode.NONE),
        locale=locale,
        banner=banner,
    )


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        ([FOUND], AnswerKind.NORMAL),
        ([REFUSED], AnswerKind.REFUSAL),
        ([ASKED_BACK], AnswerKind.CLARIFICATION),
        ([FAILED], AnswerKind.DEGRADED),
        ([FOUND, FAILED], AnswerKind.NORMAL),
        ([FAILED, FOUND], AnswerKind.NORMAL),
        ([REFUSED, FAILED], AnswerKind.DEGRADED),
        ([REFUSED, REFUSED], AnswerKind.REFUSAL),
        ([ASKED_BACK, FAILED], AnswerKind.CLARIFICATION),
    ],
)
def test_a_find_outweighs_a_question_back_outweighs_a_failure(parts: list[Part], kind: AnswerKind) -> None:
    assert answer_kind(parts) is kind


def test_the_banner_comes_first_and_the_analysis_under_its_heading() -> None:
    result = composed(FOUND, REFUSED, banner="【假设】x")

    assert result.answer == "【假设】x\nfound（来源：a）\n\n归因分析：\nrefused"
    assert result.answer_plain == "【假设】x\nfound\n\n归因分析：\nrefused"


def test_sources_of_all_parts_are_joined_and_named_once() -> None:
    other = Part(Rendered("b", "b"), sources=(Source(doc="b.pdf"), SOURCE))

    assert composed(FOUND, other).sources == (SOURCE, Source(doc="b.pdf"))


def test_the_guard_reports_of_all_parts_are_added() -> None:
    one = Part(Rendered("a", "a"), guard=GuardReport(reasons={GuardReason.SCOPE_DRIFT: 2}))
    other = Part(
        Rendered("b", "b"),
        guard=GuardReport(fabrication_guard_triggered=True, reasons={GuardReason.SCOPE_DRIFT: 1}),
    )

    assert composed(one, other).guard == GuardReport(
        fabrication_guard_triggered=True, reasons={GuardReason.SCOPE_DRIFT: 3}
    )
