"""Which stored codes are one metric.

Two codes become one metric only where the facts do not speak against it: in every scope that has both, they have the
same number and unit. Codes that a person put together, and codes that differ in a note, a plural or the place of "net",
need no more than that; codes that only share a label must also meet in some scope, because filers give one label to
different things ("Other", "Deferred tax assets"). Codes that are spelled alike are always one: no question can tell
them apart, and where they disagree the answer shows both.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

from cli.profile.labels import meaning
from cli.profile.names import clean
from cli.profile.tables import Concept, FactLine, Scope
from domain.fold import is_ideographic
from domain.matching import phrase_key

Numbers = set[tuple[str, str]]

# In a note or a cash flow statement a line is printed without what its heading says. The code says it.
_CONTEXTS: Final = (
    (re.compile("INCREASE_DECREASE|INCREASEDECREASE"), re.compile("increase|decrease|change", re.IGNORECASE)),
    (re.compile("DEFERRED_TAX|DEFERRED_INCOME_TAX|TAX_RECONCILIATION"), re.compile("tax", re.IGNORECASE)),
    (re.compile("COMPREHENSIVE_INCOME"), re.compile("comprehensive", re.IGNORECASE)),
    (re.compile("PAYMENTS_DUE|MATURITIES|OBLIGATION_BALANCE"), re.compile("payment|matur|oblig|due", re.IGNORECASE)),
)


class MetricFacts:
    """The facts of each code: numbers by scope, labels and units by frequency."""

    def __init__(self, facts: Iterable[FactLine]) -> None:
        self.labels: dict[str, Counter[str]] = defaultdict(Counter)
        self.units: dict[str, Counter[str]] = defaultdict(Counter)
        self._numbers: dict[str, dict[Scope, Numbers]] = defaultdict(lambda: defaultdict(set))
        for fact in facts:
            self.labels[fact.metric][clean(fact.metric_label)] += 1
            self.units[fact.metric][fact.unit] += 1
            self._numbers[fact.metric][fact.scope].add((fact.value, fact.unit))

    @property
    def codes(self) -> list[str]:
        """All codes that have facts, sorted."""
        return sorted(self._numbers)

    def count(self, code: str) -> int:
        """How many facts a code has."""
        return self.units[code].total()

    def main_label(self, code: str) -> str:
        """The label that most facts of a code carry."""
        labels = self.labels[code]
        return min(labels, key=lambda label: (-labels[label], label))

    def meet(self, one: str, other: str) -> int:
        """In how many scopes both codes have facts."""
        return len(self._numbers[one].keys() & self._numbers[other].keys())

    def agree(self, one: str, other: str) -> bool:
        """Whether both codes say the same in every scope that has both."""
        first, second = self._numbers[one], self._numbers[other]
        return all(first[scope] & second[scope] for scope in first.keys() & second.keys())


class Clusters:
    """Codes put together, each cluster led by its first code."""

    def __init__(self, facts: MetricFacts) -> None:
        self._facts = facts
        self._members: dict[str, list[str]] = {code: [code] for code in facts.codes}
        self._leader = {code: code for code in facts.codes}

    def leader(self, code: str) -> str:
        """The code that stands for the cluster of a code."""
        return self._leader[code]

    def members(self, leader: str) -> list[str]:
        """The codes of a cluster, the leader first."""
        return self._members[leader]

    def leaders(self) -> list[str]:
        """The leaders of all clusters, sorted."""
        return sorted(leader for leader, members in self._members.items() if members)

    def join_if_agreeing(self, code: str, other: str) -> None:
        """Put the clusters of two codes together, unless any two of their codes disagree."""
        first, second = self._members[self.leader(code)], self._members[self.leader(other)]
        if all(self._facts.agree(a, b) for a in first for b in second):
            self.join(code, other)

    def join(self, code: str, other: str) -> None:
        """Put the clusters of two codes together."""
        first, second = self.leader(code), self.leader(other)
        if first == second:
            return
        for member in self._members[second]:
            self._leader[member] = first
        self._members[first] += self._members[second]
        self._members[second] = []


def cluster(facts: MetricFacts, concepts: Sequence[Concept]) -> Clusters:
    """Join what is spelled alike, then what the concepts gather, what means the same, and what shares a label."""
    clusters = Clusters(facts)
    for codes in _spelled_alike(facts):
        for code in codes[1:]:
            clusters.join(codes[0], code)
    for concept in concepts:
        _join_concept(concept, facts, clusters)
    for codes in _meaning_the_same(facts):
        for code in codes[1:]:
            clusters.join_if_agreeing(codes[0], code)
    for one, other in (pair for codes in _sharing_a_label(facts) for pair in combinations(codes, 2)):
        if facts.meet(one, other):
            clusters.join_if_agreeing(one, other)
    return clusters


def _join_concept(concept: Concept, facts: MetricFacts, clusters: Clusters) -> None:
    present = known_codes(concept, facts)
    for code in (*present, *_labelled_as(concept, facts)):
        if present:
            clusters.join_if_agreeing(present[0], code)


def loses_context(code: str, label: str) -> bool:
    """Whether a label alone means something else than its code: "Inventories" for the change in inventories."""
    if any(map(is_ideographic, label)):
        return False
    return any(context.search(code) and not said.search(label) for context, said in _CONTEXTS)


def known_codes(concept: Concept, facts: MetricFacts) -> list[str]:
    """The codes of a concept that have facts, in its order."""
    return [code for code in concept.codes if code in facts.units]


def _labelled_as(concept: Concept, facts: MetricFacts) -> list[str]:
    """Further codes whose label in the documents is mostly one of the names of a concept."""
    names = {phrase_key(name) for name in concept.names}
    return [
        code
        for code in facts.codes
        if (label := facts.main_label(code)) and phrase_key(label) in names and not loses_context(code, label)
    ]


def _spelled_alike(facts: MetricFacts) -> list[list[str]]:
    """Codes that no question can tell apart, such as `TOTAL_ASSETS` and `TOTALASSETS`, the best readable first."""
    alike: dict[str, list[str]] = defaultdict(list)
    for code in facts.codes:
        alike[phrase_key(code)].append(code)
    return [sorted(codes, key=lambda c: (-c.count("_"), c)) for codes in alike.values() if len(codes) > 1]


def _meaning_the_same(facts: MetricFacts) -> list[list[str]]:
    """Codes that say the same but for a note, a plural, or where "net" stands, the one with most facts first."""
    alike: dict[str, list[str]] = defaultdict(list)
    for code in facts.codes:
        label = facts.main_label(code)
        spelled_so = phrase_key(label) == phrase_key(code)
        alike[meaning(label if spelled_so else code.replace("_", " "))].append(code)
    alike.pop("", None)
    groups = [sorted(codes, key=lambda c: (-facts.count(c), len(c), c)) for _, codes in sorted(alike.items())]
    return [group for group in groups if len(group) > 1]


def _sharing_a_label(facts: MetricFacts) -> list[list[str]]:
    """Groups of codes with a label in common, the code with most facts first."""
    sharing: dict[str, set[str]] = defaultdict(set)
    for code in facts.codes:
        for label in facts.labels[code]:
            sharing[phrase_key(label)].add(code)
    groups = [sorted(codes, key=lambda c: (-facts.count(c), c)) for key, codes in sorted(sharing.items()) if key]
    return [group for group in groups if len(group) > 1]


def assign(name: str, leaders: Sequence[str], clusters: Clusters) -> str | None:
    """Which of several clusters a name of their concept belongs to: the one whose codes hold most of its words.

    None where that is not one: "EPS" is neither basic nor diluted.
    """
    if len(leaders) == 1:
        return leaders[0]
    words = _stems(name.lower().split())
    scores = [_overlap(words, clusters.members(leader)) for leader in leaders]
    best = max(scores)
    return leaders[scores.index(best)] if best > (0, 0) and scores.count(best) == 1 else None


def _overlap(words: set[str], codes: Iterable[str]) -> tuple[int, int]:
    """The most words a code of the cluster shares, and how few words of its own it has besides (negative)."""
    held = [(len(words & stems), -len(stems - words)) for code in codes if (stems := _stems(code.lower().split("_")))]
    found = max(held)
    return found if found[0] else (0, 0)


def _stems(words: Iterable[str]) -> set[str]:
    return {word.removesuffix("s") for word in words}
