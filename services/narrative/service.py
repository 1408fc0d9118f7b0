"""What the worker does with each message, apart from how it travels and how it is stored."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.v1.errors import FieldProblem
from contracts.v1.narrative import (
    LoadPassages,
    PassageRow,
    Passages,
    PassagesLoaded,
    PassagesWithdrawn,
    SearchPassages,
    WithdrawPassages,
)
from runtime.errors import ProfileMismatchError, refused
from services.narrative.computing import CHANGING
from services.narrative.ports import WritePort
from services.narrative.rows import Row, RowMaker, make_rows
from services.narrative.search import Search


@dataclass(frozen=True)
class NarrativeService:
    """Searches and changes of passages under one company profile."""

    profile_digest: str
    searching: Search
    writer: WritePort
    maker: RowMaker

    async def search(self, wanted: SearchPassages) -> Passages:
        """The open passages for a question, best first; raises `ProfileMismatchError`."""
        if wanted.profile_digest != self.profile_digest:
            raise ProfileMismatchError
        return await self.searching.run(wanted)

    async def load(self, wanted: LoadPassages) -> PassagesLoaded:
        """Load passages, all or nothing; raises `InvalidRequestError` that names every bad one."""
        rows, problems = await CHANGING.run(self._rows, wanted.passages)
        if problems:
            raise refused(problems)
        loaded = await self.writer.load(rows)
        repeated = len(wanted.passages) - loaded.received
        return loaded.model_copy(
            update={"received": loaded.received + repeated, "unchanged": loaded.unchanged + repeated}
        )

    async def withdraw(self, wanted: WithdrawPassages) -> PassagesWithdrawn:
        """Hide all passages of a document; loading it again revives them."""
        return PassagesWithdrawn(withdrawn=await self.writer.withdraw(wanted.doc_id))

    def _rows(self, passages: Sequence[PassageRow]) -> tuple[list[Row], list[FieldProblem]]:
        return make_rows(self.maker, passages)
