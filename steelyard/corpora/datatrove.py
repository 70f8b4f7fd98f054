"""Steps of a datatrove pipeline: one that writes scores into the documents' metadata, one that also drops documents."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from steelyard.corpora.columns import ERROR, FLAGGED, PREFIX, SCORE, AddedColumns, score_rows
from steelyard.errors import MissingExtra
from steelyard.settings import AUTO, Settings

try:
    from datatrove.pipeline.base import PipelineStep
    from datatrove.pipeline.filters.base_filter import BaseFilter
    from datatrove.utils.batching import batched
except ImportError as missing:
    # datatrove's filters need packages that a plain installation of datatrove lacks.
    raise MissingExtra(None, (missing.name or "datatrove").partition(".")[0]) from missing

BATCH = 256  # documents scored in one call


class SteelyardAnnotator(PipelineStep):  # type: ignore[misc] # datatrove publishes no types
    """Write the score, the content, the percentile and whether a document is flagged into its metadata.

    A document that cannot be scored gets None for each of them, and the reason as `steelyard_error`. What an earlier
    run wrote is replaced.

    Args:
        url: The key of the metadata with the document's address; without it links within a site count as sources.
        language: As for `steelyard.score`.
        edition: As for `steelyard.score`.
        weights: As for `steelyard.score`; a file is read here, once, and not by the workers.
        as_of: As for `steelyard.score`; fixed here, so that tasks of several days or machines agree.
        components: Whether to write the value of each component too.
        batch_size: How many documents are scored in one call.
    """

    name = "Steelyard annotator"
    type = "✍️ - SCORE"

    def __init__(
        self,
        *,
        url: str | None = None,
        language: str = AUTO,
        edition: str | None = None,
        weights: str | None = None,
        as_of: date | str | None = None,
        components: bool = False,
        batch_size: int = BATCH,
    ) -> None:
        super().__init__()
        self.settings = Settings.resolve(language=language, edition=edition, weights=weights, as_of=as_of)
        self.url = url
        self.components = components
        self.batch_size = batch_size

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Yield the documents in their order."""
        for batch in batched(data, self.batch_size):
            with self.track_time("batch"):
                write_scores(batch, self.settings, url=self.url, components=self.components)
            for document in batch:
                self.stat_update("total")
                if document.metadata[SCORE] is None:
                    self.stat_update("not_scored")
                self.update_doc_stats(document)
                yield document


class SteelyardFilter(BaseFilter):  # type: ignore[misc] # datatrove publishes no types
    """Drop documents by their score, and annotate all of them as SteelyardAnnotator does.

    A document that cannot be scored has met no limit: it is dropped if there is any, and kept otherwise.

    Args:
        min_score: The lowest score to keep.
        min_percentile: The lowest percentile among the reference pages of its language to keep.
        drop_flagged: Whether to drop documents that look manipulated.
        exclusion_writer: A datatrove writer for what is dropped, each with its `filter_reason`.
        url: As for SteelyardAnnotator.
        language: As for SteelyardAnnotator.
        edition: As for SteelyardAnnotator.
        weights: As for SteelyardAnnotator.
        as_of: As for SteelyardAnnotator.
        components: As for SteelyardAnnotator.
        batch_size: As for SteelyardAnnotator.
    """

    name = "Steelyard filter"

    def __init__(
        self,
        *,
        min_score: float | None = None,
        min_percentile: float | None = None,
        drop_flagged: bool = False,
        exclusion_writer: Any = None,
        url: str | None = None,
        language: str = AUTO,
        edition: str | None = None,
        weights: str | None = None,
        as_of: date | str | None = None,
        components: bool = False,
        batch_size: int = BATCH,
    ) -> None:
        super().__init__(exclusion_writer, batch_size)
        self.settings = Settings.resolve(language=language, edition=edition, weights=weights, as_of=as_of)
        self.limits = {"score": min_score, "percentile": min_percentile}
        self.drop_flagged = drop_flagged
        self.url = url
        self.components = components

    def filter(self, doc: Any) -> bool | tuple[bool, str]:
        """Return whether to keep one document, with the reason if not."""
        return self.filter_batch([doc])[0]

    def filter_batch(self, batch: list[Any]) -> list[bool | tuple[bool, str]]:
        """Return whether to keep each document, with the reason if not."""
        write_scores(batch, self.settings, url=self.url, components=self.components)
        return [self._judge(document.metadata) for document in batch]

    def _judge(self, metadata: dict[str, Any]) -> bool | tuple[bool, str]:
        limits = {name: limit for name, limit in self.limits.items() if limit is not None}
        if not limits and not self.drop_flagged:
            return True
        if metadata[SCORE] is None:
            return False, f"{PREFIX}not_scored"
        for name, limit in limits.items():
            value = metadata[PREFIX + name]
            if value is None or value < limit:
                return False, PREFIX + name
        if self.drop_flagged and metadata[FLAGGED]:
            return False, FLAGGED
        return True


def write_scores(documents: list[Any], settings: Settings, *, url: str | None, components: bool) -> None:
    """Score datatrove documents and write the results into their metadata."""
    urls = None if url is None else [_read_address(document.metadata.get(url)) for document in documents]
    results = score_rows([document.text for document in documents], settings, urls=urls)
    added = AddedColumns(components).select(results)
    for row, document in enumerate(documents):
        document.metadata.update({name: values[row] for name, values in added.items()})
        if results.errors[row] is not None:
            document.metadata[ERROR] = results.errors[row]


def _read_address(value: Any) -> str | None:
    """Return the value if it can be an address; metadata comes from strangers."""
    return value if isinstance(value, str) else None
