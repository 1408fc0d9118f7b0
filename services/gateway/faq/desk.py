"""Everything that experts can do with vetted answers, in one place for the HTTP routes."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from contracts.v1.ask import AskRequest
from contracts.v1.faq import FaqVerdict, TryFaq
from domain.language import choose_locale
from domain.profile import CompanyProfile
from services.gateway.faq.catalogue import Catalogue
from services.gateway.faq.suggestions import Suggestions
from services.gateway.faq.trying import Trying
from services.gateway.settling import settle


@dataclass(frozen=True)
class FaqDesk:
    """Managing, trying, suggestions."""

    profile: CompanyProfile
    catalogue: Catalogue
    trying: Trying
    suggestions: Suggestions
    today: Callable[[], date]

    async def verdict(self, wanted: TryFaq, *, request_id: str) -> FaqVerdict:
        """What an ask for this question would get from the vetted answers."""
        ask = AskRequest(question=wanted.question, reference_date=wanted.reference_date, locale=wanted.locale)
        question = settle(ask, self.profile, today=self.today(), request_id=request_id)
        locale = choose_locale(question.question, question.locale, self.profile.company.locale)
        return await self.trying.verdict(question, locale)
