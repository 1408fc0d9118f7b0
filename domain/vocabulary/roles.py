"""What a word outside of the profile does in a question. Data only; `domain.scope.residue` applies it."""

from enum import StrEnum


class Role(StrEnum):
    """What a known word means for the number that is asked for."""

    HARMLESS = "harmless"
    """It asks, is polite, or joins: the number is the same without it."""
    TOTAL = "total"
    """The whole: harmless with one value of each slot, a sum (which nobody computes) with several."""
    EACH = "each"
    """It says that every named value is meant on its own, not their sum."""
    CHANNEL = "channel"
    """Harmless beside a channel of the profile; alone it asks for channels in general."""
    BEHIND_ENTITY = "behind_entity"
    """Harmless directly behind an entity ("香港地区"); alone it names something else."""
    BEHIND_PERIOD = "behind_period"
    """Harmless directly behind a period or a report ("2024年里"); alone it may be a part of another word."""
    FIGURE = "figure"
    """The figure itself ("营收额"): harmless, but no word of its own beside unknown letters ("产值")."""
    LEGAL_FORM = "legal_form"
    """Harmless directly behind an entity ("Apple Inc."); behind unknown words it makes a company's name of them."""
    COMPARE = "compare"
    """Harmless before a period, an entity or a channel ("2024比2023"); anywhere else it asks for a ratio."""
    PARTICIPLE = "participle"
    """Harmless as a verb; directly before a metric it limits it ("earned premium")."""
    CHANGE = "change"
    """A change: the narrative's part of a composite question, a qualifier of a plain one."""

    NARRATIVE_CUE = "narrative_cue"
    """It asks for a reason, a description or a view. Harmless for the number."""
    EFFECT_CUE = "effect_cue"
    """It asks for an effect or a meaning: a narrative cue, and about a concept where nothing narrows the question."""
    NUMERIC_CUE = "numeric_cue"
    """It asks for a number even where no metric is named."""
    CONCEPT_CUE = "concept_cue"
    """It asks what a term means; no number answers it."""
    WEAK_CONCEPT_CUE = "weak_concept_cue"
    """It asks what a term means, unless anything else narrows the question to a number."""

    # Qualifiers: known to change the number.
    ADJUSTED = "adjusted"
    """Another basis: adjusted, gross, before tax, parent company, audited, per a standard."""
    AVERAGE = "average"
    BREAKDOWN = "breakdown"
    """Split up: by month, by region, by product."""
    BUDGET = "budget"
    """Not an actual: budget, forecast, target, estimate."""
    CONDITION = "condition"
    CUMULATIVE = "cumulative"
    CURRENCY = "currency"
    """A currency or a unit to convert to; harmless where it is the metric's own."""
    EXCLUSION = "exclusion"
    """Left out, added or limited: excluding, including, only."""
    GROWTH = "growth"
    """A rate of change."""
    LATEST = "latest"
    """A moment that the words do not name."""
    OTHER_QUESTION = "other_question"
    """Asks for something that is no number: who, which, when, where, whether."""
    PART = "part"
    """A part of an entity or another one: branch, segment, product, other."""
    PER_UNIT = "per_unit"
    RANKING = "ranking"
    """A choice among entities or values, or a comparison with a threshold."""
    RATIO = "ratio"
    """A share, ratio or rate of the metric."""
    REFERENCE = "reference"
    """Points to something that the question does not say."""
    REGION = "region"
    """A place that is no entity of the profile."""
    RESTATED = "restated"


QUALIFIERS = frozenset(
    {
        Role.ADJUSTED,
        Role.AVERAGE,
        Role.BREAKDOWN,
        Role.BUDGET,
        Role.CONDITION,
        Role.CUMULATIVE,
        Role.CURRENCY,
        Role.EXCLUSION,
        Role.GROWTH,
        Role.LATEST,
        Role.OTHER_QUESTION,
        Role.PART,
        Role.PER_UNIT,
        Role.RANKING,
        Role.RATIO,
        Role.REFERENCE,
        Role.RESTATED,
    }
)
"""Roles that are asked back by name, in a composite question as well. A region is asked back as an unknown entity."""
