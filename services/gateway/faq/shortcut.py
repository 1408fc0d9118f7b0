"""The look-up in front of every ask: one read of Redis, and no other part of the system."""

from dataclasses import dataclass
from typing import Protocol

from pydantic import ValidationError

from contracts.codes import AnswerKind, Locale, Route
from contracts.v1.ask import AnswerQuestion, AnswerResult, CacheReport
from contracts.v1.facts import Source
from domain.language import choose_locale
from domain.profile import CompanyProfile
from services.clarify.faq_veto import VetoReason
from services.gateway.faq.cache.copies import ServingCopy
from services.gateway.faq.normalize import normal_form
from services.gateway.faq.observing import FaqMetrics
from services.gateway.faq.serving import Candidate, Served, Space, choose, field_of
from services.gateway.faq.upkeep import Trust
from services.gateway.faq.vetted import Hit, Miss, MissReason


class FactsTrust(Protocol):
    """Whether it is known that the facts are still those that the items were approved with."""

    @property
    def is_current(self) -> bool:
        """Whether all items were looked at, and every change of a fact is heard since."""
        ...


@dataclass(frozen=True)
class Shortcut:
    """`VettedAnswers` over the serving copy."""

    profile: CompanyProfile
    space: Space
    copy: ServingCopy
    trust: Trust
    facts: FactsTrust
    metrics: FaqMetrics

    async def find(self, question: AnswerQuestion) -> Hit | Miss:
        """The vetted answer of a question, or why there is none."""
        locale = choose_locale(question.question, question.locale, self.profile.company.locale)
        found = await self._look_up(question, locale)
        if isinstance(found, Candidate):
            self.metrics.hit(found.id, found.version)
            return Hit(_answer(found, question.request_id, locale))
        self.metrics.missed(found)
        return Miss(found)

    async def _look_up(self, question: AnswerQuestion, locale: Locale) -> Candidate | MissReason | VetoReason:
        form = normal_form(question.question)
        if not form:
            return MissReason.EMPTY
        if not self.trust.is_ready:
            return MissReason.NOT_READY
        read = await self.copy.read(self.space, [field_of(form, None), field_of(form, locale)])
        if read is None:
            return MissReason.COPY_UNREADABLE
        # What was changed or lost while the read was under way counts too.
        if not self.trust.is_ready or read.change is None or read.change < self.trust.needed:
            self.trust.look()
            return MissReason.COPY_OUTDATED
        served = [value for value in map(_served, read.values) if value and value.is_for(form, self.space, locale)]
        return choose(served, question.reference_date, trusts_facts=self.facts.is_current)


def _served(value: bytes) -> Served | None:
    """A value of the copy; None for what is none of ours."""
    try:
        return Served.model_validate_json(value)
    except ValidationError:
        return None


def _answer(item: Candidate, request_id: str, locale: Locale) -> AnswerResult:
    return AnswerResult(
        request_id=request_id,
        answer=item.answer,
        answer_plain=item.answer,
        route=Route.FAQ,
        answer_kind=AnswerKind.NORMAL,
        clarification=None,
        sources=(Source(doc=item.source),) if item.source else (),
        cache=CacheReport(hit=True, type="faq", faq_id=item.id, version=item.version, source=item.source),
        locale=locale,
    )
