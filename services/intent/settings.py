"""Settings of the intent worker."""

from runtime.settings import RuntimeSettings


class IntentSettings(RuntimeSettings):
    """Nothing beyond what every worker needs: the vocabulary is the profile."""
