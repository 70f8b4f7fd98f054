"""Score the batches of a Ray dataset: `dataset.map_batches(SteelyardScorer, batch_format="pyarrow", …)`."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from steelyard.corpora.arrow import append_scores, extend_schema, import_pyarrow
from steelyard.corpora.columns import AddedColumns
from steelyard.settings import AUTO, Settings

if TYPE_CHECKING:
    import pyarrow as pa


class SteelyardScorer:
    """A worker of `map_batches` that appends the columns of `steelyard.corpora.arrow.score_batch` to each batch.

    Its arguments are those of `score_batch` and are given to Ray as `fn_constructor_kwargs`. `as_of` is required:
    Ray starts workers at any time, also again after a crash, and all of them must count ages to the same day.
    """

    def __init__(
        self,
        *,
        as_of: date | str,
        text: str = "text",
        url: str | None = None,
        language: str = AUTO,
        edition: str | None = None,
        weights: str | None = None,
        components: bool = False,
        evidence: bool = False,
        errors: bool = False,
    ) -> None:
        self._settings = Settings.resolve(language=language, edition=edition, weights=weights, as_of=as_of)
        self._text, self._url = text, url
        self._added = AddedColumns(components, evidence, errors)

    def __call__(self, table: pa.Table) -> pa.Table:
        """Return the table with the columns of its scores appended.

        Raises:
            InvalidColumns: A column is missing, or one that would be added is there already.
        """
        pa = import_pyarrow()
        schema = extend_schema(table.schema, self._added, text=self._text, url=self._url)
        batches = [
            append_scores(batch, self._settings, self._added, text=self._text, url=self._url)
            for batch in table.to_batches()
        ]
        return pa.Table.from_batches(batches, schema)
