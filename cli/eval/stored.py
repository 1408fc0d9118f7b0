"""The facts behind shown figures, as `GET /v1/facts` lists them: what a citation is checked against."""

import threading
from collections.abc import Iterable
from typing import Final

from cli.client import Gateway
from cli.eval.citing import StoredFigure, visible
from contracts.v1.facts import FactList, FactQuery

_PAGE: Final = 500


class StoredFacts:
    """Lists facts by entity and period, each pair once; may be used by several threads."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._known: dict[tuple[str, str], list[StoredFigure]] = {}
        self._lock = threading.Lock()

    def of(self, scopes: Iterable[FactQuery]) -> list[StoredFigure]:
        """All facts of the entities and periods of these scopes, whatever their code."""
        pairs = dict.fromkeys((scope.entity, scope.period.value) for scope in scopes)
        return [fact for pair in pairs for fact in self._listed(*pair)]

    def _listed(self, entity: str, period: str) -> list[StoredFigure]:
        with self._lock:
            known = self._known.get((entity, period))
        if known is None:
            known = self._read(entity, period)
            with self._lock:
                self._known[entity, period] = known
        return known

    def _read(self, entity: str, period: str) -> list[StoredFigure]:
        found: list[StoredFigure] = []
        after: int | None = None
        while True:
            query = {"entity": entity, "period": period, "limit": str(_PAGE)}
            query |= {} if after is None else {"after": str(after)}
            page = FactList.model_validate_json(self._gateway.call("GET", "/v1/facts", query=query).text)
            found.extend(visible(page.facts))
            after = page.next_after
            if after is None:
                return found
