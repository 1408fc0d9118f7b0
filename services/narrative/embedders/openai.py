"""Embeddings of any OpenAI-compatible endpoint. The address comes from settings only; nothing of a text is logged."""

from collections.abc import Sequence

from openai import AsyncOpenAI, OpenAIError

from services.narrative.embedders.ports import EmbeddingError, Vector


class OpenAIEmbedder:
    """A model behind an endpoint."""

    def __init__(
        self,
        *,
        base_url: str | None,
        api_key: str,
        model: str,
        prefixes: tuple[str, str],
        seconds: float,
    ) -> None:
        # Retries are the caller's decision: a question waits for a fraction of a second only.
        self._client = AsyncOpenAI(base_url=base_url, api_key=api_key, timeout=seconds, max_retries=0)
        self._model = model
        self._question_prefix, self._passage_prefix = prefixes

    @property
    def name(self) -> str:
        """The model, and how it is told questions and passages apart."""
        prefixes = "|".join(filter(None, (self._question_prefix.strip(), self._passage_prefix.strip())))
        return f"{self._model}[{prefixes}]" if prefixes else self._model

    async def questions(self, texts: Sequence[str]) -> list[Vector]:
        """A vector for each question; raises `EmbeddingError`."""
        return await self._embedded([self._question_prefix + text for text in texts])

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """A vector for each passage; raises `EmbeddingError`."""
        return await self._embedded([self._passage_prefix + text for text in texts])

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _embedded(self, texts: list[str]) -> list[Vector]:
        try:
            reply = await self._client.embeddings.create(model=self._model, input=texts, encoding_format="float")
        except OpenAIError as error:
            raise EmbeddingError(type(error).__name__) from None
        vectors = [item.embedding for item in sorted(reply.data, key=lambda item: item.index)]
        if len(vectors) != len(texts) or not all(vectors) or len({len(vector) for vector in vectors}) != 1:
            raise EmbeddingError("wrong number or size of vectors")
        return list(vectors)
