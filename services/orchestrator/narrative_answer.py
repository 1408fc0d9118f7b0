"""The narrative part of an answer: what the material says, with its sources, or honestly that it says nothing.

The fixed sentences carry no number; a dead narrative worker takes no number from the rest of the answer.
"""

from contracts.codes import Locale
from contracts.v1.ask import AnswerQuestion, AssumedSlots
from contracts.v1.intent import ParsedIntent
from contracts.v1.narrative import Passages, SearchPassages
from services.clarify.texts import Wording, wording
from services.orchestrator.citations import sources_of, with_sources
from services.orchestrator.extracting import extract
from services.orchestrator.parts import PART_AWAY, AnswerPart, NarrativePart, Part
from services.orchestrator.ports import Ports
from services.orchestrator.rendering import Rendered


async def answer_narrative(
    ask: AnswerQuestion, intent: ParsedIntent, assumed: AssumedSlots, ports: Ports, locale: Locale
) -> AnswerPart:
    """Search the material of the asked or assumed entities and periods. Raises `ProfileMismatchError`."""
    say = wording(locale)
    request = _search_for(ask, intent, assumed)
    try:
        found = await ports.narrative.search(request)
    except PART_AWAY:
        return _fixed(say.degraded_narrative, failed=True)
    if not found.passages:
        return _fixed(_nothing_found(found, request, say))
    return _quoted(ask.question, found, say)


def _search_for(ask: AnswerQuestion, intent: ParsedIntent, assumed: AssumedSlots) -> SearchPassages:
    """What was assumed counts as asked: the banner above says whose and when the answer is."""
    return SearchPassages(
        question=ask.question,
        entities=intent.entities or ((assumed.entity,) if assumed.entity else ()),
        periods=intent.periods or ((assumed.period,) if assumed.period else ()),
        profile_digest=intent.profile_digest,
    )


def _quoted(question: str, found: Passages, say: Wording) -> AnswerPart:
    quotes = extract(question, found.passages, lambda _: True)
    if not quotes:
        return _fixed(say.no_answer)
    given = sources_of(quote.passage for quote in quotes)
    number = {source: place for place, source in enumerate(given, start=1)}
    lines = (f"{quote.sentence}[{number[sources_of([quote.passage])[0]]}]" for quote in quotes)
    return NarrativePart(with_sources("\n".join(lines), given, say), given)


def _nothing_found(found: Passages, request: SearchPassages, say: Wording) -> str:
    if not found.material_loaded:
        return say.no_material
    return say.no_match if request.entities or request.periods else say.no_answer


def _fixed(text: str, *, failed: bool = False) -> Part:
    return Part(Rendered(text, text), failed=failed)
