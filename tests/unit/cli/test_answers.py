"""Exit codes and what goes to stdout."""

from decimal import Decimal

import pytest

from cli.answers import exit_code, quiet_exit_code, show_answer, show_numbers
from cli.console import ExitCode
from contracts.codes import (
    AnswerKind,
    CalculationRefusal,
    ClarifyMode,
    FactStatus,
    Locale,
    Measure,
    OperationKind,
    Route,
)
from contracts.v1.ask import (
    AnswerResult,
    Clarification,
    ClarificationOption,
    ConflictingValue,
    Source,
    ToolResult,
    ToolStatusSummary,
)
from contracts.v1.operations import Calculation
from tests.support.answers import scope


def _result(kind: AnswerKind, mode: ClarifyMode = ClarifyMode.NONE, answer: str = "text") -> AnswerResult:
    options = (ClarificationOption(label="[A]", question="a"), ClarificationOption(label="B", question="b"))
    return AnswerResult(
        request_id="r",
        answer=answer,
        answer_plain=answer,
        route=Route.STRUCTURED,
        answer_kind=kind,
        clarification=Clarification(mode=mode, options=options if mode is ClarifyMode.ASK_FIRST else ()),
        tool_results=(
            ToolResult(status=FactStatus.FOUND, scope=scope("2024"), value="1234567.890"),  # type: ignore[arg-type]  # as it travels
            ToolResult(status=FactStatus.NOT_FOUND, scope=scope("2025")),
        ),
        locale=Locale.EN,
    )


@pytest.mark.parametrize(
    ("kind", "mode", "code"),
    [
        (AnswerKind.NORMAL, ClarifyMode.NONE, ExitCode.OK),
        (AnswerKind.NORMAL, ClarifyMode.ANSWER_WITH_ASSUMPTIONS, ExitCode.OK),
        (AnswerKind.REFUSAL, ClarifyMode.NONE, ExitCode.REFUSED),
        (AnswerKind.REFUSAL, ClarifyMode.OUT_OF_SCOPE_ENTITY, ExitCode.OUT_OF_SCOPE),
        (AnswerKind.CLARIFICATION, ClarifyMode.ASK_FIRST, ExitCode.NEEDS_CHOICE),
        (AnswerKind.DEGRADED, ClarifyMode.NONE, ExitCode.DEGRADED),
    ],
)
def test_exit_code_says_what_the_answer_is(kind: AnswerKind, mode: ClarifyMode, code: ExitCode) -> None:
    assert exit_code(_result(kind, mode)) is code


def test_answer_is_printed_as_it_stands_and_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    answer = "ACME_CN [bold]FY2024[/bold] " + "长" * 200 + "：1320 USD_M"

    show_answer(_result(AnswerKind.NORMAL, answer=answer))

    assert capsys.readouterr().out == answer + "\n"


def test_options_are_numbered_below_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    show_answer(_result(AnswerKind.CLARIFICATION, ClarifyMode.ASK_FIRST))

    assert capsys.readouterr().out.splitlines() == ["text", "  1. [A]", "  2. B"]


def test_quiet_output_is_the_stored_digits_only(capsys: pytest.CaptureFixture[str]) -> None:
    show_numbers(_result(AnswerKind.NORMAL))

    assert capsys.readouterr().out == "1234567.890\n"


def _growth(percent: str | None) -> AnswerResult:
    amount = Calculation(
        kind=OperationKind.GROWTH,
        measure=Measure.AMOUNT,
        operands=(scope("2024"), scope("2023")),
        value=Decimal("10.50") if percent else None,
        unit="USD_M" if percent else None,
        reason=None if percent else CalculationRefusal.OPERAND_MISSING,
    )
    rate = amount.model_copy(update={"measure": Measure.PERCENT, "value": Decimal(percent or 0), "unit": "PCT"})
    entries = (amount, rate) if percent else (amount,)
    return _result(AnswerKind.NORMAL).model_copy(update={"calculations": entries})


def test_quiet_output_of_a_calculation_is_its_result_and_no_operand(capsys: pytest.CaptureFixture[str]) -> None:
    show_numbers(_growth("10.0"))

    assert capsys.readouterr().out.splitlines() == ["10.50 USD_M", "10.0 PCT"]
    assert quiet_exit_code(_growth("10.0")) is ExitCode.OK


def test_quiet_output_of_a_refused_calculation_is_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    show_numbers(_growth(None))

    printed = capsys.readouterr()
    assert printed.out == ""
    assert "operand_missing" in printed.err
    assert quiet_exit_code(_growth(None)) is ExitCode.REFUSED


def _conflict() -> AnswerResult:
    values = tuple(
        ConflictingValue(value=Decimal(digits), unit="USD_M", source=Source(doc=doc, locator="p=1"))
        for digits, doc in (("1320", "A.pdf"), ("1318.5", "B.pdf"))
    )
    conflicting = ToolResult(status=FactStatus.CONFLICTING, scope=scope("2024"), conflicting=values)
    missing = ToolResult(status=FactStatus.NOT_FOUND, scope=scope("2025"))
    return _result(AnswerKind.NORMAL).model_copy(
        update={
            "tool_results": (conflicting, missing),
            "tool_status_summary": ToolStatusSummary(conflicting=1, not_found=1),
        }
    )


def test_quiet_output_of_values_that_disagree_has_every_source_and_a_code_of_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_numbers(_conflict())

    shown = capsys.readouterr()
    assert shown.out.splitlines() == ["1320 USD_M  (A.pdf · p=1)", "1318.5 USD_M  (B.pdf · p=1)"]
    assert "disagree" in shown.err
    assert "1 of 2" in shown.err
    assert quiet_exit_code(_conflict()) is ExitCode.CONFLICTING
    assert exit_code(_conflict()) is ExitCode.OK
