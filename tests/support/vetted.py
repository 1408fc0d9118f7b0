"""Vetted answers without Redis and Postgres: the real screening, copy and look-up over a copy in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

from contracts.codes import FaqState, Locale
from contracts.v1.ask import AnswerQuestion, AskRequest
from contracts.v1.faq import FaqDependency, StoredFaqItem
from contracts.v1.intent import ParsedIntent, ParseIntent
from domain.profile import CompanyProfile
from runtime.deadline import Deadline
from runtime.metrics import Metrics
from services.gateway.faq.admission import Screening
from services.gateway.faq.cache.copies import Read
from services.gateway.faq.items import Item, stored
from services.gateway.faq.observing import FaqMetrics
from services.gateway.faq.serving import Space, copy_of
from services.gateway.faq.shortcut import Shortcut
from services.gateway.settling import settle
from services.intent.parser import RuleIntentParser
from tests.support.profiles import REFERENCE_DATE


class ParsedHere:
    """`IntentPort` over the real parser."""

    def __init__(self, profile: CompanyProfile) -> None:
        self.parser = RuleIntentParser(profile)

    async def parse(self, request: ParseIntent, deadline: Deadline) -> ParsedIntent:
        assert request.reference_date is not None
        return self.parser.parse(request.question, reference_date=request.reference_date)


@dataclass
class CopyHere:
    """A serving copy in memory."""

    fields: dict[str, str] = field(default_factory=dict[str, str])
    change: int | None = 1
    is_readable: bool = True
    reads: int = 0

    async def read(self, space: Space, fields: Sequence[str]) -> Read | None:
        self.reads += 1
        if not self.is_readable:
            return None
        return Read(self.change, [self.fields[name].encode() for name in fields if name in self.fields])


@dataclass
class TrustHere:
    """Whatever a test says."""

    is_ready: bool = True
    needed: int = 1
    is_current: bool = True
    looks: int = 0

    def look(self) -> None:
        self.looks += 1


@dataclass
class VettedHere:
    """A catalogue in memory: `keep` items, then `find`."""

    profile: CompanyProfile
    copy: CopyHere = field(default_factory=CopyHere)
    trust: TrustHere = field(default_factory=TrustHere)
    metrics: Metrics = field(default_factory=Metrics)

    def __post_init__(self) -> None:
        self.space = Space(self.profile.digest())
        self.screening = Screening(self.profile, ParsedHere(self.profile))
        self.shortcut = Shortcut(self.profile, self.space, self.copy, self.trust, self.trust, FaqMetrics(self.metrics))

    async def keep(self, *items: Item) -> None:
        """Serve these items and no others."""
        verdicts = {item.id: await self.screening.verdicts(item.surfaces) for item in items}
        self.copy.fields = copy_of(items, verdicts, self.space)

    def question(self, text: str, *, today: date = REFERENCE_DATE, locale: Locale | None = None) -> AnswerQuestion:
        ask = AskRequest(question=text, locale=locale)
        return settle(ask, self.profile, today=today, request_id="r")


def item(
    question: str = "食堂在哪",
    *,
    id: str = "canteen",
    aliases: Sequence[str] = (),
    answer: str = "三楼。",
    state: FaqState = FaqState.APPROVED,
    sensitivity: str | None = "INTERNAL",
    valid_from: date | None = None,
    valid_until: date | None = None,
    locale: Locale | None = None,
    depends_on: Sequence[FaqDependency] = (),
    approved_change: int = 1,
    version: int = 1,
    source: str | None = "guide.pdf",
) -> Item:
    return Item(
        question=question,
        aliases=tuple(aliases),
        answer=answer,
        source=source,
        owner="facilities",
        valid_from=valid_from,
        valid_until=valid_until,
        sensitivity=sensitivity,
        locale=locale,
        depends_on=tuple(depends_on),
        policy_number=False,
        id=id,
        version=version,
        state=state,
        verified_by="expert",
        approved_change=approved_change,
        revision=approved_change,
    )


def shown() -> StoredFaqItem:
    """An item as a reply shows it."""
    return stored(replace(item(), revision=7, updated_at=datetime(2025, 5, 20, tzinfo=UTC)))
