"""Scores appended to an Arrow record batch: which columns, for which types, and what becomes of other rows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import steelyard
from steelyard.components import NAMES
from steelyard.corpora.arrow import output_schema, score_batch
from steelyard.corpora.columns import score_rows
from steelyard.errors import InvalidColumns, InvalidDate, UnknownName, UnsupportedLanguage
from steelyard.settings import Settings

pa = pytest.importorskip("pyarrow")

SITE = Path(__file__).resolve().parents[2] / "examples" / "site"
PAGES = [(SITE / name).read_text("utf-8") for name in ("index.md", "science/city-noise.md")]
AS_OF = "2026-07-01"
DEFAULT = ["steelyard_score", "steelyard_content", "steelyard_percentile", "steelyard_flagged"]
TEXT_TYPES = [
    pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.int32(), pa.large_string()),
]  # fmt: skip


def batch_of(texts: list[Any], kind: Any = None, **others: list[Any]) -> Any:
    column = pa.array(texts) if kind in (None, pa.null()) else pa.array(texts, pa.string()).cast(kind)
    return pa.RecordBatch.from_pydict({"text": column, **{name: pa.array(v) for name, v in others.items()}})


def score(batch: Any, **options: Any) -> Any:
    return score_batch(batch, **{"as_of": AS_OF, **options})


def test_the_numbers_are_those_of_score():
    scored = score(batch_of(PAGES), components=True).to_pylist()
    for text, row in zip(PAGES, scored, strict=True):
        page = steelyard.score(text, as_of=AS_OF)
        assert page.placement is not None
        assert row["steelyard_score"] == page.score
        assert row["steelyard_content"] == page.content
        assert row["steelyard_percentile"] == 100 * page.placement.share
        assert row["steelyard_flagged"] == steelyard.detect(text).flagged
        assert {name: row[f"steelyard_{name}"] for name in NAMES} == {n: r.value for n, r in page.readings.items()}
    columns = score_rows(PAGES, Settings.resolve(as_of=AS_OF))
    assert (columns.language, columns.errors) == (["en", "en"], [None, None])


def test_four_columns_are_added_and_everything_else_stays():
    batch = batch_of(PAGES, n=[1, None]).replace_schema_metadata({"origin": "crawl"})
    scored = score(batch)
    assert scored.schema.names == ["text", "n", *DEFAULT]
    assert scored.select(["text", "n"]).to_pylist() == batch.to_pylist()
    assert scored.schema.metadata == {b"origin": b"crawl"}


def test_every_type_of_string_gives_the_same_scores_and_keeps_its_type():
    texts = [PAGES[0], None, PAGES[1], PAGES[0]]
    expected = score(batch_of(texts)).select(DEFAULT)
    for kind in TEXT_TYPES:
        scored = score(batch_of(texts, kind))
        assert scored.schema.field("text").type == kind
        assert scored.column("text").to_pylist() == texts, kind
        assert scored.select(DEFAULT).equals(expected), kind
    # A column of nulls gives nulls in the declared types.
    for kind in (pa.null(), *TEXT_TYPES):
        scored = score(batch_of([None, None], kind), components=True, evidence=True)
        assert all(scored.column(name).null_count == 2 for name in scored.schema.names[1:]), kind
        assert scored.schema == output_schema(batch_of([None], kind).schema, components=True, evidence=True)


def test_a_slice_of_a_batch_is_scored_as_that_slice():
    whole = batch_of([*PAGES, None, *PAGES])
    assert score(whole.slice(1, 3)).equals(score(whole).slice(1, 3))


def test_values_that_are_no_strings_give_nulls_with_a_reason():
    for column in ([3, None], [b"bytes", None], [["a list"], None], [{"a": "struct"}, None]):
        scored = score(batch_of(column), errors=True)
        assert scored.column("steelyard_score").to_pylist() == [None, None], column
        reason, missing = scored.column("steelyard_error").to_pylist()
        assert reason.startswith("not a string but "), column
        assert missing not in ("", None, reason), column


def test_a_row_that_is_not_utf8_loses_no_other_row():
    good = PAGES[0].encode()
    column = pa.array([good, b"\xff\xfe broken", None, good]).view(pa.string())
    batch = pa.RecordBatch.from_arrays([column], ["text"])
    scored = score(batch, errors=True)
    first, broken, missing, last = scored.drop_columns(["text"]).to_pylist()
    assert first == last
    assert first["steelyard_score"] == steelyard.score(PAGES[0], as_of=AS_OF).score
    assert broken["steelyard_score"] is None
    assert broken["steelyard_error"] == "not valid UTF-8"
    assert missing["steelyard_error"] != "not valid UTF-8"


def test_evidence_is_a_list_of_spans_that_score_gives_too():
    scored = score(batch_of([PAGES[1], None]), evidence=True)
    spans, missing = scored.column("steelyard_evidence").to_pylist()
    expected = [
        {"component": n, "start": e.start, "end": e.end, "line": e.line, "pattern": e.pattern, "family": e.family}
        for n, reading in steelyard.score(PAGES[1], as_of=AS_OF).readings.items()
        for e in reading.evidence
    ]
    assert expected
    assert spans == expected
    assert missing is None


def test_the_address_decides_which_links_are_the_sites_own():
    text = PAGES[1] + "\n\nSee [the report](https://example.org/report) and [more](https://example.org/more).\n"
    batch = batch_of([text, text], address=["https://example.org/page", None])
    own, other = (
        score(batch, url="address", edition="2026", components=True).column("steelyard_citation_f1").to_pylist()
    )
    assert own < other


def test_the_options_of_score_are_passed_on():
    batch = batch_of(PAGES[:1])
    expected = steelyard.score(PAGES[0], as_of="2020-01-01", edition="2026", weights="equal", language="fr").score
    options = {"as_of": "2020-01-01", "edition": "2026", "weights": "equal", "language": "fr"}
    assert score(batch, **options).column("steelyard_score").to_pylist() == [expected]
    assert expected != score(batch).column("steelyard_score").to_pylist()[0]


def test_the_declared_schema_is_that_of_the_result():
    batch = batch_of(PAGES)
    every: list[dict[str, Any]] = [{}, {"components": True}, {"evidence": True}, {"errors": True}]
    for options in every:
        declared = output_schema(batch.schema, **options)
        assert score(batch, **options).schema == declared, options
        empty = score(batch.slice(0, 0), **options)
        assert (empty.schema, empty.num_rows) == (declared, 0), options


def test_a_column_that_is_missing_or_there_twice_is_named():
    for options in ({"text": "body"}, {"url": "address"}):
        (missing,) = options.values()
        with pytest.raises(InvalidColumns, match=rf"no column '{missing}'.*columns: text"):
            score(batch_of(PAGES), **options)
    column = pa.array(PAGES)
    with pytest.raises(InvalidColumns, match="2 columns are named 'text'"):
        score(pa.RecordBatch.from_arrays([column, column], ["text", "text"]))


def test_a_table_that_was_scored_before_is_refused():
    with pytest.raises(InvalidColumns, match=r"steelyard_score, .*already in the table"):
        score(score(batch_of(PAGES[:1])))
    others = batch_of(PAGES[:1], steelyard_note=["mine"], steelyard_error=["mine"])
    assert score(others).column("steelyard_error").to_pylist() == ["mine"]  # it is in nobody's way
    with pytest.raises(InvalidColumns, match="steelyard_error"):
        score(others, errors=True)


def test_a_wrong_option_is_one_error_and_not_one_per_row():
    for options, error in (
        ({"language": "xx"}, UnknownName),
        ({"language": "de", "edition": "paper"}, UnsupportedLanguage),
        ({"edition": "1999"}, UnknownName),
        ({"weights": "heavy"}, UnknownName),
        ({"as_of": "soon"}, InvalidDate),
    ):
        with pytest.raises(error):
            score(batch_of([]), **options)


def test_strings_shared_by_a_dictionary_are_not_copied():
    long = "word " * 200_000
    column = pa.DictionaryArray.from_arrays(pa.array([1] * 3_000, pa.int16()), pa.array([long, "short"]))
    from steelyard.corpora.arrow import _read_strings

    texts, _ = _read_strings(column)
    assert len({id(text) for text in texts}) == 1


def run_code(code: str) -> str:
    """Run some code in a process of its own; return what it wrote on standard error."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stderr


def test_a_missing_package_is_named_with_its_extra():
    schema = "class Schema: names = ['text']\n"
    for package, code, advice in (
        ("pyarrow", f"import steelyard.corpora.arrow as arrow\n{schema}arrow.output_schema(Schema())", "[bulk]"),
        ("pyarrow", "import steelyard.corpora.ray as ray; ray.SteelyardScorer(as_of='2026-07-01')(None)", "[bulk]"),
        ("datatrove", "import steelyard.corpora.datatrove", "'datatrove'"),
    ):
        errors = run_code(f"import sys; sys.modules[{package!r}] = None\n{code}\n")
        assert "MissingExtra" in errors, code
        assert package in errors, code
        assert advice in errors, code


def test_importing_the_arrow_step_does_not_load_pyarrow():
    assert (
        run_code("import sys, steelyard.corpora.arrow, steelyard.corpora.ray; assert 'pyarrow' not in sys.modules")
        == ""
    )
