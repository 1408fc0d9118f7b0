"""Operations: what a question wants computed from the figures that it names.

One of a closed set, read strictly: which words say so, and which scopes they compare. Whatever does not fit exactly one
reading is no operation, and its words stay residues that are asked back.
"""

from domain.scope.operations.finding import find_operation
from domain.scope.operations.question import Question
from domain.scope.operations.reckoning import derived_residues, reckon, stored_metrics

__all__ = ["Question", "derived_residues", "find_operation", "reckon", "stored_metrics"]
