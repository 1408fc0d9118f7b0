"""The narrative part of an answer: what the material says, with its sources, or honestly that it says nothing.

The sentences here are fixed and carry no number; a dead narrative worker takes no number from the rest of the answer.
"""

from contracts.codes import Locale
from contracts.v1.intent import ParsedIntent
from contracts.v1.narrative import Passages, SearchPassages
from services.clarify.texts import Wording, wording
from services.orchestrator.parts import PART_AWAY, Part
from services.orchestrator.ports import NarrativePort
from services.orchestrator.rendering import Rendered


async def answer_narrative(question: str, intent: ParsedIntent, narrative: NarrativePort, locale: Locale) -> Part:
    """Search the material of the asked entities and periods. Raises `ProfileMismatchError`."""
    say = wording(locale)
    try:
        passages = await narrative.search(
            SearchPassages(
                question=question,
                entities=intent.entities,
                periods=intent.periods,
                profile_digest=intent.profile_digest,
            )
        )
    except PART_AWAY:
        return _fixed(say.degraded_narrative, failed=True)
    return _fixed(_nothing_to_say(passages, say))


def _nothing_to_say(passages: Passages, say: Wording) -> str:
    return say.no_answer if passages.material_loaded else say.no_material


def _fixed(text: str, *, failed: bool = False) -> Part:
    return Part(Rendered(text, text), failed=failed)
