"""The narrative part of an answer: what the material says, with its sources, or honestly that it says nothing.

The fixed sentences carry no number; a dead narrative worker or model takes no number from the rest of the answer.
"""

from collections.abc import Sequence

from contracts.codes import Locale, NothingFound
from contracts.v1.ask import AnswerQuestion, AssumedSlots
from contracts.v1.facts import FactQuery, FactSeries
from contracts.v1.intent import ParsedIntent
from contracts.v1.narrative import Passages, SearchPassages
from services.clarify.texts import Wording, wording
from services.orchestrator.claims import Aspect
from services.orchestrator.conversation import ProviderError
from services.orchestrator.instructions import as_material
from services.orchestrator.parts import PART_AWAY, AnswerPart, NarrativePart, Part
from services.orchestrator.ports import Ports
from services.orchestrator.prompts import Shown
from services.orchestrator.prose_numbers import Asked
from services.orchestrator.rendering import Rendered
from services.orchestrator.writing import WRITING, Material


async def answer_narrative(
    ask: AnswerQuestion,
    intent: ParsedIntent,
    assumed: AssumedSlots,
    ports: Ports,
    locale: Locale,
    *,
    above: Sequence[AnswerPart] = (),
) -> AnswerPart:
    """Search the material of the asked or assumed entities and periods, and write from it below the parts `above`.

    Raises `ProfileMismatchError`.
    """
    say = wording(locale)
    request = _search_for(ask, intent, assumed)
    try:
        found = await ports.narrative.search(request)
    except PART_AWAY:
        return _fixed(say.degraded_narrative, failed=True)
    if not found.passages:
        return _fixed(_nothing_found(found, request, say))
    material = await WRITING.run(_material, ask, request, found, above, locale)
    if not material.passages:
        return _fixed(say.no_answer)
    try:
        part = await _written(material, ports)
    except ProviderError:
        return _fixed(say.degraded_narrative, failed=True)
    return part or _fixed(say.no_answer)


async def _written(material: Material, ports: Ports) -> NarrativePart | None:
    if ports.model:
        return await ports.writer.write(material, ports.model.model)
    return await WRITING.run(ports.writer.quote, material)


def _search_for(ask: AnswerQuestion, intent: ParsedIntent, assumed: AssumedSlots) -> SearchPassages:
    """What was assumed counts as asked: the banner above says whose and when the answer is."""
    return SearchPassages(
        question=ask.question,
        entities=intent.entities or ((assumed.entity,) if assumed.entity else ()),
        periods=intent.periods or ((assumed.period,) if assumed.period else ()),
        latest=intent.latest.type if intent.latest else None,
        profile_digest=intent.profile_digest,
    )


def _material(
    ask: AnswerQuestion, request: SearchPassages, found: Passages, above: Sequence[AnswerPart], locale: Locale
) -> Material:
    numbers = [part for part in above if isinstance(part, Part)]
    refused = tuple(scope for part in numbers for scope in part.refused)
    asked = Asked(
        about={
            Aspect.ENTITY: frozenset(request.entities),
            Aspect.PERIOD: frozenset(period.value for period in request.periods),
        },
        refused=refused,
        today=ask.reference_date,
        entity=request.entities[0] if request.entities else ask.default_entity,
    )
    facts = "\n".join(part.rendered.plain for part in numbers if part.sources)
    return Material(ask, as_material(found.passages), asked, Shown(facts, tuple(map(_named, refused))), locale)


def _named(scope: FactQuery | FactSeries) -> str:
    period = f" {scope.period.label}" if isinstance(scope, FactQuery) else ""
    return f"{scope.entity}{period} {scope.metric}"


def _nothing_found(found: Passages, request: SearchPassages, say: Wording) -> str:
    """Why there is nothing, as far as the worker says; without a reason, by what was asked."""
    if not found.material_loaded or found.nothing_found is NothingFound.NO_MATERIAL:
        return say.no_material
    if found.nothing_found is NothingFound.NO_MATCH:
        return say.no_answer
    is_narrowed = bool(request.entities or request.periods)
    return say.no_match if is_narrowed or found.nothing_found is NothingFound.NOTHING_IN_SCOPE else say.no_answer


def _fixed(text: str, *, failed: bool = False) -> Part:
    return Part(Rendered(text, text), failed=failed)
