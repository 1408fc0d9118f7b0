"""Settings of the orchestrator, from `RAGSPINE_*`."""

from runtime.settings import RuntimeSettings, Seconds


class OrchestratorSettings(RuntimeSettings):
    """How long each worker may take at most, whatever is left of an ask's deadline."""

    intent_timeout_seconds: Seconds = 3
    """Parsing takes milliseconds; the rest is for a worker that is just being replaced."""
    facts_timeout_seconds: Seconds = 4
    narrative_timeout_seconds: Seconds = 4
