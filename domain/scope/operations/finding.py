"""The one operation that a question asks for; none where its words fit several, or a second one stands beside it."""

from domain.scope.operations.changes import find_change
from domain.scope.operations.differences import find_difference
from domain.scope.operations.question import Found, Question, derived_names
from domain.scope.operations.rankings import find_ranking
from domain.scope.operations.ratios import find_ratio
from domain.scope.operations.shares import find_share


def find_operation(q: Question) -> Found | None:
    """What is to be computed; of a derived metric nothing but the metric itself."""
    if derived_names(q.segments, q.profile):
        return find_ratio(q)
    if q.says_nothing:
        return None
    every = (find_ratio(q), find_share(q), find_change(q), find_difference(q), find_ranking(q))
    found = [operation for operation in every if operation is not None]
    return found[0] if len(found) == 1 else None
