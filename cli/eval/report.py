"""What a run came to: a table with the gates, every miss with its reason and what was said, and the same as JSON.

Questions and answers go to the terminal and to the file that was asked for, nowhere else.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from cli.console import note, out, print_table
from cli.eval.asking import Asked
from cli.eval.baseline import Baseline, Change, PackBaseline
from cli.eval.questions import AskedQuestion, digest_of
from cli.eval.tallies import Gate, Rate, Row, tally
from contracts.codes import AnswerKind

SAID_CHARS: Final = 240
"""How much of an answer a miss shows; the file holds all of it."""


@dataclass(frozen=True)
class PackReport:
    """One pack, asked and counted."""

    name: str
    reference_date: date
    asked: Sequence[Asked]
    rows: Mapping[str, Row]

    @classmethod
    def of(cls, name: str, reference_date: date, asked: Sequence[Asked]) -> "PackReport":
        """Count what was asked."""
        return cls(name, reference_date, asked, tally((one.question, one.judgement) for one in asked))

    @property
    def misses(self) -> list[Asked]:
        """Everything with a reason against it, by kind."""
        found = [one for one in self.asked if one.judgement.misses]
        return sorted(found, key=lambda one: (one.judgement.is_right, one.question.kind, one.question.id))


def baseline_of(reports: Iterable[PackReport]) -> Baseline:
    """What a later run is compared with."""
    return Baseline(packs={report.name: _pack_baseline(report) for report in reports})


def _pack_baseline(report: PackReport) -> PackBaseline:
    return PackBaseline(
        reference_date=report.reference_date.isoformat(),
        questions=len(report.asked),
        questions_digest=digest_of(_questions(report)),
        rows={
            name: {gate: rate for gate, rate in row.gates.items() if rate.total} for name, row in report.rows.items()
        },
        misses={one.question.id: tuple(sorted(one.judgement.reasons)) for one in report.misses},
    )


def _questions(report: PackReport) -> list[AskedQuestion]:
    return [one.question for one in report.asked]


def show(report: PackReport, *, with_misses: bool) -> None:
    """Print the table of a pack, below every miss."""
    if with_misses:
        for one in report.misses:
            _show_miss(one)
    out.print(f"{report.name}: {len(report.asked)} questions, reference date {report.reference_date}", markup=False)
    headings = ("kind", "lang", "questions", *(gate.value for gate in Gate), "outcomes")
    print_table(out, headings, [_cells(name, row) for name, row in report.rows.items()])


def _show_miss(one: Asked) -> None:
    """The question, each reason against the answer, and what was said where that tells more than the reason."""
    question, judgement = one.question, one.judgement
    reasons = ", ".join(sorted(judgement.reasons)) or "right"
    out.print(
        f"{reasons}: {question.kind}/{question.lang} {question.id}  {' '.join(question.text.split())}", markup=False
    )
    for miss in judgement.misses:
        out.print(f"    {miss.reason}: {_short(miss.detail)}", markup=False)
    if one.result is None or one.result.answer_kind is AnswerKind.NORMAL:
        out.print(f"    said: {_short(one.said)}", markup=False)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SAID_CHARS else f"{line[:SAID_CHARS]}…"


def _cells(name: str, row: Row) -> tuple[str, ...]:
    kind, _, language = name.partition("/")
    outcomes = " ".join(f"{outcome} {count}" for outcome, count in sorted(row.outcomes.items()))
    gates = [written(row.gates.get(gate, Rate(0, 0))) for gate in Gate]
    return (kind, language, str(row.questions), *gates, outcomes)


def written(rate: Rate) -> str:
    """`41/43 95.3%`, never rounded up to 100 or down to 0; empty where nothing was counted."""
    if not rate.total:
        return ""
    tenths = rate.part * 1_000 // rate.total
    if rate.part:
        tenths = max(tenths, 1)
    return f"{rate.part}/{rate.total} {tenths // 10}.{tenths % 10}%"


def show_changes(title: str, changes: Sequence[Change]) -> None:
    """Print gates that differ from the baseline."""
    if not changes:
        return
    out.print(title, markup=False)
    rows = [
        (change.pack, change.row, change.gate, written(change.before), written(change.now) if change.now else "none")
        for change in changes
    ]
    print_table(out, ("pack", "row", "gate", "baseline", "now"), rows)


def show_changed_questions(report: PackReport, before: PackBaseline) -> None:
    """Print every question with other reasons than in the baseline; say whether other questions were asked."""
    if before.questions_digest != digest_of(_questions(report)):
        note(f"{report.name}: other questions than those of the baseline; rates are compared")
    if before.reference_date != report.reference_date.isoformat():
        note(f"{report.name}: reference date {report.reference_date}, in the baseline {before.reference_date}")
    for one in report.asked:
        now, then = sorted(one.judgement.reasons), list(before.misses.get(one.question.id, ()))
        if now != then:
            changed = f"{', '.join(then) or 'right'} → {', '.join(now) or 'right'}"
            out.print(f"{report.name} {one.question.id}: {changed}", markup=False)
            _show_miss(one)


def as_json(reports: Iterable[PackReport], changes: Sequence[Change]) -> str:
    """Everything: gates, and per question what was expected, said and made of it."""
    packs = {report.name: _pack_json(report) for report in reports}
    worse = [{"pack": c.pack, "row": c.row, "gate": c.gate, "before": c.before, "now": c.now} for c in changes]
    return json.dumps({"packs": packs, "worse": worse}, ensure_ascii=False, indent=1)


def _pack_json(report: PackReport) -> dict[str, object]:
    return {
        "reference_date": report.reference_date.isoformat(),
        "rows": {
            name: {"questions": row.questions, "outcomes": row.outcomes, "gates": row.gates}
            for name, row in report.rows.items()
        },
        "questions": [_question_json(one) for one in report.asked],
    }


def _question_json(one: Asked) -> dict[str, object]:
    question, judgement = one.question, one.judgement
    return {
        "id": question.id,
        "kind": question.kind,
        "subkind": question.subkind,
        "lang": question.lang,
        "question": question.text,
        "expected": [fact.model_dump(mode="json") for fact in question.facts],
        "derived": question.derived,
        "outcome": judgement.outcome,
        "is_right": judgement.is_right,
        "is_specified": judgement.is_specified,
        "misses": [{"reason": miss.reason, "detail": miss.detail} for miss in judgement.misses],
        "said": one.said,
        "result": one.result.model_dump(mode="json") if one.result else None,
    }
