"""From computed values to what the user reads; every number becomes text through `domain.money` alone."""

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from contracts.codes import TOTAL_CHANNEL, Axis, CalculationRefusal, GrowthBasis, Locale, RankingOrder
from contracts.v1.facts import FactQuery, Found
from domain import money
from services.clarify.texts import Wording, wording
from services.clarify.texts_computed import ComputedWording, computed_wording
from services.orchestrator.calculating import Calculated, Changed, Divided, NotComputed, Ranked
from services.orchestrator.steps import Change, operands


def computed_lines(results: Sequence[Calculated], locale: Locale) -> Iterator[str]:
    """The lines below the operands: each result, or why there is none; equal sentences once."""
    say, words = wording(locale), computed_wording(locale)
    yield from dict.fromkeys(line for result in results for line in _lines(result, say, words))


def operands_only(results: Sequence[Calculated]) -> Sequence[FactQuery]:
    """The scopes that are shown for nothing but steps that were refused: their figure is no answer."""
    refused = [scope for result in results if isinstance(result, NotComputed) for scope in operands(result.step)]
    used = [scope for result in results if not isinstance(result, NotComputed) for scope in operands(result.step)]
    return [scope for scope in refused if scope not in used]


def scope_text(scope: FactQuery, say: Wording) -> str:
    """A scope as it is named in a line."""
    channel = "" if scope.channel == TOTAL_CHANNEL else say.channel.format(channel=scope.channel)
    return say.scope.format(entity=scope.entity, period=scope.period.label, metric=scope.metric, channel=channel)


def one_line(text: str) -> str:
    """A unit or a document name with a line break must not be able to write a line of its own."""
    return " ".join(text.splitlines())


def _lines(result: Calculated, say: Wording, words: ComputedWording) -> Iterator[str]:
    match result:
        case Changed(step=step):
            yield _heading(step, words).format(change=_change(result, say, words))
            if result.percent is None and not result.is_rate and step.axis is not Axis.METRIC:
                yield words.no_percentage.format(base=scope_text(step.base, say))
        case Divided():
            yield _quotient(result, say, words)
        case Ranked():
            yield from _ranking(result, say, words)
        case NotComputed():
            yield words.not_computed.format(reason=_reason(result, say, words))
        case _:
            assert_never(result)


def _heading(step: Change, words: ComputedWording) -> str:
    match step.basis:
        case GrowthBasis.PRIOR_YEAR:
            return words.prior_year
        case GrowthBasis.PRIOR_PERIOD:
            return words.prior_period
        case None:
            return words.difference
        case _:
            assert_never(step.basis)


def _change(result: Changed, say: Wording, words: ComputedWording) -> str:
    step = result.step
    percent = ""
    if result.percent is not None and step.axis is not Axis.METRIC:
        percent = say.percent.format(percent=money.signed_percent(result.percent))
    return words.change.format(
        subject=scope_text(step.subject, say),
        base=step.base.period.label if step.axis is Axis.PERIOD else str(getattr(step.base, step.axis.value)),
        difference=money.signed(result.difference),
        unit=say.percentage_points if result.is_rate else one_line(result.unit),
        percent=percent,
    )


def _quotient(result: Divided, say: Wording, words: ComputedWording) -> str:
    numerator, denominator, value = result.step.numerator, result.step.denominator, money.plain(result.value)
    if result.step.metric is None:
        return words.share.format(part=scope_text(numerator, say), whole=scope_text(denominator, say), value=value)
    return words.ratio.format(
        entity=numerator.entity,
        period=numerator.period.label,
        metric=result.step.metric,
        channel="" if numerator.channel == TOTAL_CHANNEL else say.channel.format(channel=numerator.channel),
        value=value,
        unit=one_line(result.unit),
        numerator=numerator.metric,
        denominator=denominator.metric,
    )


def _ranking(result: Ranked, say: Wording, words: ComputedWording) -> Iterator[str]:
    highest_first = result.step.order is RankingOrder.HIGHEST_FIRST
    template, sign = (words.highest_first, words.more) if highest_first else (words.lowest_first, words.less)
    order = sign.join(_names(group, words.equal, say) for group in result.places)
    tied = any(len(group) > 1 for group in result.places)
    yield template.format(order=order, tied=words.tied_places if tied else "")
    at_place = result.at_asked_place
    if at_place:
        names = _names(at_place, say.comma, say)
        yield words.at_place.format(names=words.together.format(names=names) if len(at_place) > 1 else names)
    elif result.step.place:
        yield words.not_computed.format(reason=words.tied)


def _names(lines: Iterable[Found], sign: str, say: Wording) -> str:
    return sign.join(scope_text(line.query, say) for line in lines)


def _reason(result: NotComputed, say: Wording, words: ComputedWording) -> str:
    scope = scope_text(result.scope, say) if result.scope else ""
    return _sentence(result.reason, words).format(scope=scope)


def _sentence(reason: CalculationRefusal, words: ComputedWording) -> str:
    match reason:
        case CalculationRefusal.OPERAND_MISSING:
            return words.missing
        case CalculationRefusal.OPERAND_CONFLICTING:
            return words.conflicting
        case CalculationRefusal.OPERAND_UNAVAILABLE:
            return words.unavailable
        case CalculationRefusal.UNITS_DIFFER:
            return words.units_differ
        case CalculationRefusal.BASE_NOT_POSITIVE:
            return words.not_positive
        case CalculationRefusal.TIED:
            return words.tied
        case _:
            assert_never(reason)
