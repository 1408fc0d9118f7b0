"""The request flow. The order of the steps is part of the specification: see docs/request-flow.md.

Refusals and questions back come before any look-up, retrieval or model call. History is context for generation only;
nothing here reads it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from contracts.codes import Locale, Route
from contracts.v1.ask import AnswerQuestion, AnswerResult, AssumedSlots, Clarification
from contracts.v1.errors import FieldProblem
from contracts.v1.intent import ParsedIntent, ParseIntent
from domain.language import choose_locale
from domain.profile import CompanyProfile
from runtime.errors import InvalidRequestError, ProfileMismatchError
from services.clarify.decision import AskFirst, Assume, Decision, Proceed, Refuse, decide
from services.clarify.newest import Newest
from services.orchestrator.composing import compose, concatenate
from services.orchestrator.decomposing import split
from services.orchestrator.latest import Settled, Unsettled, settle_latest
from services.orchestrator.narrative_answer import answer_narrative
from services.orchestrator.parts import AnswerPart, Part
from services.orchestrator.ports import IntentPort, Ports
from services.orchestrator.rendering import Rendered
from services.orchestrator.siblings import heed_each_other
from services.orchestrator.structured import answer_numbers
from services.orchestrator.writing import WRITING


async def answer(ask: AnswerQuestion, ports: Ports, profile: CompanyProfile) -> AnswerResult:
    """Answer one question.

    Raises `InvalidRequestError`, `ProfileMismatchError`, `TooManySubtasksError`, or what the intent hop raises.
    """
    # 0. The gateway and we must mean the same by every word.
    _require_same_profile(ask.profile_digest, profile)
    _require_known_entity(ask, profile)
    locale = choose_locale(ask.question, ask.locale, profile.company.locale)

    # 1. Decomposition, where it is asked for and there is a model; each sub-question goes the whole way.
    questions = await _split(ask, ports, profile)
    if questions:
        each = [ask.model_copy(update={"question": question}) for question in questions]
        answers = [await _answer_one(one, ports, profile, locale) for one in each]
        heeded = await WRITING.run(heed_each_other, [one.parts for one in answers], ports.writer, locale)
        whole = [one.with_parts(parts).composed(locale) for one, parts in zip(answers, heeded, strict=True)]
        return concatenate(ask, whole, locale)
    return (await _answer_one(ask, ports, profile, locale)).composed(locale)


async def _split(ask: AnswerQuestion, ports: Ports, profile: CompanyProfile) -> Sequence[str]:
    if ports.model is None or not (ask.decompose or ports.model.decompose):
        return ()

    async def parse(question: str) -> ParsedIntent:
        return await _parse(ask.model_copy(update={"question": question}), ports.intent, profile)

    return await split(ask, ports.model.model, profile, parse)


@dataclass(frozen=True, slots=True)
class _Answered:
    """What one question came to, before it is one result."""

    ask: AnswerQuestion
    parts: Sequence[AnswerPart]
    route: Route
    clarification: Clarification
    banner: str | None

    def with_parts(self, parts: Sequence[AnswerPart]) -> "_Answered":
        return replace(self, parts=parts)

    def composed(self, locale: Locale) -> AnswerResult:
        return compose(
            self.ask,
            self.parts,
            route=self.route,
            clarification=self.clarification,
            locale=locale,
            banner=self.banner,
        )


async def _answer_one(ask: AnswerQuestion, ports: Ports, profile: CompanyProfile, locale: Locale) -> _Answered:
    """Steps 2 to 6 for one question."""
    # 2. Intent: slots by rules, no model.
    intent = await _parse(ask, ports.intent, profile)

    # 2b. "The latest quarter": only the fact source knows which that is.
    latest = await settle_latest(ask, intent, ports.facts, profile, locale)

    # 3. Clarification: refuse, ask first, assume, or proceed; the gate inside screens the raw question.
    numbers: Part | None = None
    decision: Decision
    match latest:
        case Settled(intent, newest):
            decision = _decide(ask, intent, newest, profile, locale)
        case AskFirst():
            decision = latest
        case Unsettled(numbers):
            decision = Proceed()
        case _:
            assert_never(latest)
    parts: Sequence[AnswerPart]
    match decision:
        case Refuse(clarification, text):
            parts, banner = [Part(Rendered(text, text))], None
        case AskFirst(clarification, text):
            parts, banner = [Part(Rendered(text, text), asked_back=True)], None
        case Assume(clarification, banner):
            parts = await _answer_by_route(ask, intent, clarification.assumed_slots, ports, profile, locale)
        case Proceed(clarification):
            parts = await _answer_by_route(ask, intent, AssumedSlots(), ports, profile, locale, numbers)
            banner = None
        case _:
            assert_never(decision)

    # 6. One result, whatever it came to.
    return _Answered(ask, parts, intent.route, clarification, banner)


async def _answer_by_route(
    ask: AnswerQuestion,
    intent: ParsedIntent,
    assumed: AssumedSlots,
    ports: Ports,
    profile: CompanyProfile,
    locale: Locale,
    numbers: Part | None = None,
) -> Sequence[AnswerPart]:
    """Steps 4 and 5: numbers through look-ups and the guard, reasons through retrieval; a composite has both.

    `numbers`: what is said in place of a look-up, where it is known already that there can be none.
    """
    parts: list[AnswerPart] = []
    if intent.route is not Route.NARRATIVE:
        parts.append(numbers or await answer_numbers(ask, intent, assumed, ports, profile, locale))
    if intent.route is not Route.STRUCTURED:
        parts.append(await answer_narrative(ask, intent, assumed, ports, locale, above=parts))
    return parts


def _decide(
    ask: AnswerQuestion, intent: ParsedIntent, newest: Newest | None, profile: CompanyProfile, locale: Locale
) -> Decision:
    return decide(
        ask.question,
        intent,
        profile,
        today=ask.reference_date,
        locale=locale,
        default_entity=ask.default_entity,
        newest=newest,
    )


async def _parse(ask: AnswerQuestion, intent: IntentPort, profile: CompanyProfile) -> ParsedIntent:
    parsed = await intent.parse(
        ParseIntent(question=ask.question, reference_date=ask.reference_date, default_entity=ask.default_entity)
    )
    _require_same_profile(parsed.profile_digest, profile)
    return parsed


def _require_same_profile(digest: str, profile: CompanyProfile) -> None:
    if digest != profile.digest():
        raise ProfileMismatchError


def _require_known_entity(ask: AnswerQuestion, profile: CompanyProfile) -> None:
    if ask.default_entity is not None and ask.default_entity not in profile.entities:
        reason = "not an entity of the profile"
        raise InvalidRequestError(problems=(FieldProblem(field="default_entity", reason=reason),))
