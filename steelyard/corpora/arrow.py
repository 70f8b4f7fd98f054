"""Score an Arrow record batch: the step that DuckDB, Polars, Daft, Spark and Ray Data run on their tables."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from steelyard.corpora.columns import ERROR, EVIDENCE, FLAGGED, AddedColumns, score_rows
from steelyard.errors import InvalidColumns, MissingExtra
from steelyard.settings import AUTO, Settings

if TYPE_CHECKING:
    import pyarrow as pa


def score_batch(
    batch: pa.RecordBatch,
    *,
    text: str = "text",
    url: str | None = None,
    language: str = AUTO,
    edition: str | None = None,
    weights: str | None = None,
    as_of: date | str | None = None,
    components: bool = False,
    evidence: bool = False,
    errors: bool = False,
    threads: int = 1,
) -> pa.RecordBatch:
    """Return the batch with the columns of its scores appended; rows, order and other columns stay as they are.

    A row without a text, or with one that cannot be scored, gets nulls.

    Args:
        batch: The rows.
        text: The column of the pages: text, Markdown or HTML, in any of Arrow's types of strings.
        url: The column of their addresses, so that links within a site can be told from links to other sites.
        language: As for `steelyard.score`.
        edition: As for `steelyard.score`.
        weights: As for `steelyard.score`.
        as_of: As for `steelyard.score`. Give it when batches are scored on several days or machines.
        components: Whether to add one column per component.
        evidence: Whether to add the evidence spans, a list of structs per row; without them it is faster.
        errors: Whether to add the reason why a row could not be scored, null for the others.
        threads: How many threads the native core uses, where it is installed; the Python code uses one.

    Returns:
        The batch in the schema that `output_schema` gives.

    Raises:
        InvalidColumns: A column is missing, or one that would be added is there already.
        UnknownName: A language, an edition or a weighting that does not exist.
        MissingExtra: pyarrow is not installed.
    """
    settings = Settings.resolve(language=language, edition=edition, weights=weights, as_of=as_of)
    return append_scores(
        batch, settings, AddedColumns(components, evidence, errors), text=text, url=url, threads=threads
    )


def output_schema(
    schema: pa.Schema,
    *,
    text: str = "text",
    url: str | None = None,
    components: bool = False,
    evidence: bool = False,
    errors: bool = False,
) -> pa.Schema:
    """Return the schema of `score_batch`'s result, for engines that must know it before the first batch.

    Raises:
        InvalidColumns: A column is missing, or one that would be added is there already.
        MissingExtra: pyarrow is not installed.
    """
    return extend_schema(schema, AddedColumns(components, evidence, errors), text=text, url=url)


def extend_schema(schema: pa.Schema, added: AddedColumns, *, text: str, url: str | None) -> pa.Schema:
    """Do what `output_schema` does."""
    _check_columns(schema, [name for name in (text, url) if name is not None])
    fields = list_added_fields(added)
    present = [field.name for field in fields if field.name in schema.names]
    if present:
        raise InvalidColumns(f"{', '.join(present)}: already in the table; drop or rename them before scoring again")
    for field in fields:
        schema = schema.append(field)
    return schema


def append_scores(
    batch: pa.RecordBatch, settings: Settings, added: AddedColumns, *, text: str, url: str | None, threads: int = 1
) -> pa.RecordBatch:
    """Do what `score_batch` does, with settings that are already resolved."""
    pa = import_pyarrow()
    schema = extend_schema(batch.schema, added, text=text, url=url)
    texts, unreadable = _read_strings(batch.column(text))
    urls = None if url is None else _read_strings(batch.column(url))[0]
    columns = score_rows(texts, settings, urls=urls, evidence=added.evidence, threads=threads)
    for row, reason in unreadable.items():
        columns.errors[row] = reason
    arrays = [pa.array(values, schema.field(name).type) for name, values in added.select(columns).items()]
    return pa.RecordBatch.from_arrays([*batch.columns, *arrays], schema=schema)


def import_pyarrow() -> Any:
    """Return pyarrow, which is loaded only when a table is scored.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtra("bulk", "pyarrow") from error
    return pyarrow


def _check_columns(schema: pa.Schema, names: list[str]) -> None:
    for name in names:
        count = schema.names.count(name)
        if not count:
            columns = ", ".join(schema.names) or "none"
            raise InvalidColumns(f"no column {name!r} in the table; name another one (columns: {columns})")
        if count > 1:
            raise InvalidColumns(f"{count} columns are named {name!r}; rename them so that one can be chosen")


def list_added_fields(added: AddedColumns) -> list[pa.Field]:
    """Return the fields of the columns that are added."""
    pa = import_pyarrow()
    numbers = [(name, pa.int64()) for name in ("start", "end", "line")]
    span = [("component", pa.string()), *numbers, ("pattern", pa.string()), ("family", pa.string())]
    kinds = {FLAGGED: pa.bool_(), EVIDENCE: pa.list_(pa.struct(span)), ERROR: pa.string()}
    return [pa.field(name, kinds.get(name, pa.float64())) for name in added.names]


def _read_strings(column: pa.Array) -> tuple[list[str | None], dict[int, str]]:
    """Return the column's strings, None where there is none, and the reason for each value that is no string."""
    pa = import_pyarrow()
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return _read_strings(column.storage)
    if pa.types.is_dictionary(kind):
        # Looked up, not decoded: one long string that a million rows share stays one string.
        values, reasons = _read_strings(column.dictionary)
        rows = column.indices.to_pylist()
        errors = {row: reasons[n] for row, n in enumerate(rows) if n in reasons}
        return [None if n is None else values[n] for n in rows], errors
    if pa.types.is_null(kind):
        return [None] * len(column), {}
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
        is_valid = column.is_valid().to_pylist()
        return [None] * len(column), {row: f"not a string but {kind}" for row, valid in enumerate(is_valid) if valid}
    try:
        return column.to_pylist(), {}
    except UnicodeDecodeError:
        return _read_valid_strings(column)


def _read_valid_strings(column: pa.Array) -> tuple[list[str | None], dict[int, str]]:
    """Read value by value: Arrow does not check that a file's strings are UTF-8, and one row must not lose the rest."""
    texts: list[str | None] = []
    reasons = {}
    for row, value in enumerate(column):
        try:
            texts.append(value.as_py())
        except UnicodeDecodeError:
            texts.append(None)
            reasons[row] = "not valid UTF-8"
    return texts, reasons
