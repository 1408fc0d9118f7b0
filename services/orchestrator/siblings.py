"""The answers of the parts of one question heed each other: what one of them refuses, no other one tells. Pure.

They were made one after the other, so a prose may be older than the refusal: in the end all are looked at again.
"""

from collections.abc import Sequence
from typing import assert_never

from contracts.codes import Locale
from contracts.v1.facts import FactQuery, FactSeries
from services.clarify.texts import wording
from services.orchestrator.parts import AnswerPart, NarrativePart, Part
from services.orchestrator.rendering import Rendered
from services.orchestrator.writing import Writer


def heed_each_other(answers: Sequence[Sequence[AnswerPart]], writer: Writer, locale: Locale) -> list[list[AnswerPart]]:
    """The parts of each answer, their prose without a number for what another answer refused."""
    refused = [_refused(parts) for parts in answers]
    return [
        [
            _heeding(part, [scope for j, other in enumerate(refused) if j != i for scope in other], writer, locale)
            for part in parts
        ]
        for i, parts in enumerate(answers)
    ]


def _refused(parts: Sequence[AnswerPart]) -> list[FactQuery | FactSeries]:
    return [scope for part in parts if isinstance(part, Part) for scope in part.refused]


def _heeding(part: AnswerPart, refused: Sequence[FactQuery | FactSeries], writer: Writer, locale: Locale) -> AnswerPart:
    if not refused:
        return part
    match part:
        case NarrativePart():
            text = wording(locale).no_answer
            return writer.without(part, refused, locale) or Part(Rendered(text, text))
        case Part():
            return part
        case _:
            assert_never(part)
