"""Settings of the narrative worker."""

from runtime.settings import RuntimeSettings


class NarrativeSettings(RuntimeSettings):
    """Nothing beyond what every worker needs, as long as there is no material to keep."""
