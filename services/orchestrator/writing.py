"""From passages to the narrative part: written by a model and checked by code, or quoted word for word.

Whatever the model says, what goes out names given sources only and states no number that nothing supports. A model that
says nothing usable leaves the quotes; a failing one is its caller's to report.
"""

import re
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from contracts.codes import GuardReason, Locale
from contracts.v1.ask import AnswerQuestion, GuardReport
from contracts.v1.facts import FactQuery, FactSeries
from contracts.v1.narrative import Passage
from domain.profile import CompanyProfile
from runtime.threads import Threads
from services.clarify.texts import wording
from services.orchestrator.citations import Written, sources_of, with_known_marks, with_sources
from services.orchestrator.conversation import Model
from services.orchestrator.extracting import extract
from services.orchestrator.parts import NarrativePart
from services.orchestrator.phantoms import Given, plain_prose, without_phantoms
from services.orchestrator.prompts import Shown, narrative_messages
from services.orchestrator.prose_numbers import Asked, Finding, NumberCheck, ProseNumbers

WRITING: Final = Threads("write", 2)
"""Passages may hold pages, and reading them takes a while: other asks go on meanwhile."""
_NONCE_BYTES: Final = 12
_LIST_MARK: Final = re.compile(r"(?m)^[ \t]*(?:[-*•][ \t]*)?(\d{1,2})[.)、．][ \t]*(?=\S)")
_COVER: Final = "|"


def new_nonce() -> str:
    """A mark for one prompt that no passage can know."""
    return secrets.token_hex(_NONCE_BYTES)


@dataclass(frozen=True, slots=True)
class Material:
    """What one narrative part is written from."""

    ask: AnswerQuestion
    passages: Sequence[Passage]
    asked: Asked
    shown: Shown
    locale: Locale


class Writer:
    """Writes narrative parts under one profile; compiled once."""

    def __init__(
        self,
        profile: CompanyProfile,
        mode: ProseNumbers = ProseNumbers.REMOVE,
        nonce: Callable[[], str] = new_nonce,
    ) -> None:
        self._profile = profile
        self._mode = mode
        self._nonce = nonce
        self._numbers = NumberCheck(profile)

    def quote(self, material: Material, guard: GuardReport | None = None) -> NarrativePart | None:
        """Sentences of the passages, word for word; None where there is nothing to quote."""
        names = _given(material.passages)

        def may_quote(sentence: str) -> bool:
            bare = with_known_marks(without_phantoms(sentence, names), 0)
            return bare == sentence and self._numbers.may_quote(sentence, material.asked)

        quotes = extract(material.ask.question, material.passages, may_quote)
        if not quotes:
            return None
        given = sources_of(quote.passage for quote in quotes)
        lines = (f"{quote.sentence}[{given.index(sources_of([quote.passage])[0]) + 1}]" for quote in quotes)
        written = with_sources("\n".join(lines), given, wording(material.locale))
        return NarrativePart(written, given, material.asked, guard=guard or GuardReport())

    async def write(self, material: Material, model: Model) -> NarrativePart | None:
        """The model's prose as far as it holds, else quotes; None for an empty prose. Raises `ProviderError`."""
        nonce = self._nonce()
        turn = await model.complete(
            narrative_messages(material.ask, self._profile, material.passages, material.shown, nonce, material.locale),
            (),
        )
        return await WRITING.run(self._checked, turn.text, nonce, material) if turn.text.strip() else None

    def _checked(self, said: str, nonce: str, material: Material) -> NarrativePart | None:
        """What holds of what a model said."""
        given = sources_of(material.passages)
        prose = with_known_marks(without_phantoms(plain_prose(said, nonce), _given(material.passages)), len(given))
        findings = self._check(prose, material)
        kept = self._kept(prose, findings)
        guard = _report(findings)
        if not re.search(r"\w", kept):
            return self.quote(material, guard)
        written = with_sources(kept, given, wording(material.locale))
        return NarrativePart(self._annotated(written, findings, material.locale), given, material.asked, guard=guard)

    def without(
        self, part: NarrativePart, refused: Sequence[FactQuery | FactSeries], locale: Locale
    ) -> NarrativePart | None:
        """A part without the sentences that tell a number for a scope refused elsewhere; None: nothing is left."""
        plain = part.written.plain
        names = [name for source in part.sources for name in (source.doc, source.locator) if name]
        findings = self._numbers.told_for(_covered(plain, names), refused, part.asked, italian=locale is Locale.IT)
        if not any(finding.refused for finding in findings):
            return part
        kept = self._kept(plain, findings)
        if not re.search(r"\w", re.sub(r"\[\d+\]", "", kept)):
            return None
        listed = [line for line in part.written.text.split("\n") if line not in plain.split("\n")]
        reasons = Counter(part.guard.reasons) + Counter(_report(findings).reasons)
        guard = part.guard.model_copy(update={"reasons": reasons})
        return replace(part, written=Written("\n".join([kept, *listed]), kept), guard=guard)

    def _check(self, prose: str, material: Material) -> Sequence[Finding]:
        covered = _covered(prose, _given(material.passages).names)
        italian = material.locale is Locale.IT
        return self._numbers.check(covered, material.passages, material.shown.facts, material.asked, italian=italian)

    def _kept(self, prose: str, findings: Sequence[Finding]) -> str:
        """The prose without the sentences that may not stand, and without lines of which nothing is left."""
        text, place = "", 0
        for finding in findings:
            goes = bool(finding.refused or (finding.unsupported and self._mode is ProseNumbers.REMOVE))
            text += prose[place : finding.start] + ("" if goes else prose[finding.start : finding.end])
            place = finding.end
        lines = (text + prose[place:]).split("\n")
        return re.sub(
            r"\n{3,}", "\n\n", "\n".join(line for line in lines if not line or re.search(r"\w", line))
        ).strip()

    def _annotated(self, written: Written, findings: Sequence[Finding], locale: Locale) -> Written:
        numbers = [number for finding in findings if not finding.refused for number in finding.unsupported]
        if self._mode is not ProseNumbers.ANNOTATE or not numbers:
            return written
        say = wording(locale)
        note = say.unsupported_numbers.format(numbers=say.comma.join(dict.fromkeys(numbers)))
        return Written(f"{written.text}\n{note}", f"{written.plain}\n{note}")


def _given(passages: Iterable[Passage]) -> Given:
    names = [name for passage in passages for name in (passage.doc_id, passage.locator, passage.title) if name]
    return Given(tuple(dict.fromkeys(names)), tuple(passage.text for passage in passages))


def _report(findings: Iterable[Finding]) -> GuardReport:
    count = sum(len({*finding.unsupported, *finding.refused}) for finding in findings)
    return GuardReport(reasons={GuardReason.PROSE_NUMBER: count} if count else {})


def _covered(prose: str, names: Iterable[str]) -> str:
    """The prose with marks, names of given documents and numbers of a list made unreadable, at the same places."""
    text = re.sub(r"\[\d+\]", lambda mark: _COVER * len(mark[0]), prose)
    for name in sorted(names, key=len, reverse=True):
        if re.search(r"[^\W\d]", name):
            whole = rf"(?<![A-Za-z0-9_\-.]){re.escape(name)}(?![A-Za-z0-9_\-])"
            text = re.sub(whole, lambda found: _COVER * len(found[0]), text, flags=re.IGNORECASE)
    expected = 1
    chars = list(text)
    for mark in _LIST_MARK.finditer(text):
        number = int(mark[1])
        if number in {1, expected}:
            chars[mark.start(1) : mark.end(1)] = _COVER * len(mark[1])
            expected = number + 1
    return "".join(chars)
