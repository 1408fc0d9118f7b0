"""`RAGSPINE_LLM=none`: no model. Deterministic and offline; it asks for exactly the asked scope."""

from collections.abc import Sequence

from contracts.v1.facts import FactQuery


class OfflineProvider:
    """The `Provider` of a stack without a model."""

    async def propose(self, asked: FactQuery) -> Sequence[FactQuery]:
        """The asked scope, and nothing else."""
        return (asked,)
