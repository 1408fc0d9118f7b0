"""What the vetted answers say to a question, and exactly why: for experts, who want to know what would be served."""

from dataclasses import dataclass
from datetime import date
from typing import Final

from contracts.codes import Locale
from contracts.v1.ask import AnswerQuestion
from contracts.v1.faq import FaqVerdict
from services.clarify.faq_veto import Terms, VetoReason, veto_of_item
from services.gateway.faq.admission import Screening
from services.gateway.faq.items import Item
from services.gateway.faq.normalize import normal_form
from services.gateway.faq.store.reading import ItemReader
from services.gateway.faq.vetted import Hit, MissReason, VettedAnswers

OTHER_LOCALE: Final = "other_locale"

DETAILS: Final = {
    "hit": "This item answers.",
    MissReason.OFF: "This gateway keeps no vetted answers.",
    MissReason.EMPTY: "Nothing is left of the question without blanks and marks.",
    MissReason.NO_ITEM: "No item has this wording. Add it as an alias of the item that should answer.",
    MissReason.NOT_READY: "The gateway is not ready: it has not screened the items yet, or Postgres is away.",
    MissReason.UNCHECKED: "The item depends on facts, and it is not known yet whether they are still the same.",
    MissReason.COPY_UNREADABLE: "Redis does not answer, so nothing is served.",
    MissReason.COPY_OUTDATED: "Redis does not hold the last change yet; try again.",
    OTHER_LOCALE: "The item is for askers of another language.",
    VetoReason.STRUCTURED_NUMERIC: "The question asks for a number, or names a metric, an entity or a period.",
    VetoReason.COMPETITOR: "The question names a competitor.",
    VetoReason.REAL_TIME: "The question asks for what holds at this moment.",
    VetoReason.SUSPICIOUS: "The question holds characters that read as others.",
    VetoReason.NOT_APPROVED: "The item is a draft or disabled.",
    VetoReason.STALE: "A fact that the item depends on has changed. Check the answer, then approve it again.",
    VetoReason.CLOSED_SENSITIVITY: "The item is closed: only PUBLIC and INTERNAL ones are served.",
    VetoReason.NOT_YET_VALID: "The item is not valid yet on that day.",
    VetoReason.EXPIRED: "The item is not valid any more on that day.",
}
"""What each code means."""


@dataclass(frozen=True)
class Trying:
    """Tries questions: first for real, then, on a miss, step by step."""

    vetted: VettedAnswers
    reader: ItemReader
    screening: Screening

    async def verdict(self, question: AnswerQuestion, locale: Locale) -> FaqVerdict:
        """What an ask would get. Raises what Postgres and the intent hop raise."""
        form = normal_form(question.question)
        found = await self.vetted.find(question)
        if isinstance(found, Hit):
            cache, answer = found.answer.cache, found.answer.answer
            return FaqVerdict(
                is_hit=True,
                detail=DETAILS["hit"],
                normal_form=form,
                faq_id=cache.faq_id,
                version=cache.version,
                answer=answer,
            )
        items = await self.reader.with_form(form) if form else []
        item = items[0] if items else None
        reason = await self._reason(question, item, locale) or found.reason
        return FaqVerdict(
            is_hit=False,
            reason=reason,
            detail=DETAILS[reason],
            normal_form=form,
            faq_id=item.id if item else None,
            version=item.version if item else None,
        )

    async def _reason(self, question: AnswerQuestion, item: Item | None, locale: Locale) -> str | None:
        """What stands against the item by itself; None where nothing does, so that the copy is to blame."""
        form = normal_form(question.question)
        if not form:
            return MissReason.EMPTY
        veto = await self.screening.veto(form)
        if veto is not None:
            return veto
        return _against(item, question.reference_date, locale) if item is not None else MissReason.NO_ITEM


def _against(item: Item, today: date, locale: Locale) -> str | None:
    if item.locale not in {None, locale}:
        return OTHER_LOCALE
    return veto_of_item(Terms(item.state, item.sensitivity, item.valid_from, item.valid_until), today)
