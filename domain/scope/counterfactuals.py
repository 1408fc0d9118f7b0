"""What a figure should or could have been: no actual, though every word of it is harmless elsewhere."""

from collections.abc import Iterator, Sequence
from typing import Final

from domain.scope.segments import Part, Segment

_MODALS: Final = frozenset({"could", "may", "should", "would"})
_HAVE: Final = "have"
_REACHED: Final = frozenset(
    {
        *(
            "achieved",
            "amounted",
            "been",
            "brought",
            "come",
            "comein",
            "done",
            "earned",
            "generated",
            "had",
            "hit",
            "incurred",
        ),
        *("made", "posted", "produced", "reached", "realised", "realized", "recorded", "reported", "stood", "totaled"),
        *("totalled",),
    }
)


def find_counterfactuals(segments: Sequence[Segment]) -> Iterator[tuple[int, int]]:
    """Where a modal verb meets a perfect: "should the revenue have been". Letters from and to, for each of the two."""
    modal: Segment | None = None
    for i, segment in enumerate(segments):
        if segment.part is not Part.WORD:
            continue
        if segment.key in _MODALS:
            modal = segment
        behind = segments[i + 1].key if i + 1 < len(segments) else ""
        if modal is not None and segment.key == _HAVE and behind in _REACHED:
            yield modal.first, modal.behind
            yield segment.first, segments[i + 1].behind
            modal = None
