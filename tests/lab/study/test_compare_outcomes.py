"""The outcome arm of the comparison: ranks within each query, of the same content that the gates see."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steelyard.components import NAMES
from steelyard.errors import SteelyardError
from steelyard.lab.corpus import loading
from steelyard.lab.protocol.component_values import ComponentValues, fit_hybrid, sqrt
from steelyard.lab.stats.correlation import spearman
from steelyard.lab.study.studies.compare_outcomes import COMPARED, compare_on_records
from steelyard.lab.study.study import Request
from steelyard.pipeline import score_text

AS_OF = date(2026, 7, 1)
CHOSEN = {**dict.fromkeys(NAMES, 0.0), "quotable_density": 0.6, "entity_density": 0.4}
WEIGHTS = dict.fromkeys(COMPARED, CHOSEN)
QUERIES, SOURCES = 10, 4
# The share of a source follows from how often it is named; every number occurs.
ANSWER = "First [1]. Again [1]. Once more [1]. Then [2]. And [2]. Also [3]. Last [4]."


def texts() -> list[str]:
    pages = loading.load_corpus("demo").pages_in("en")
    return [p.flattened for p in pages[: QUERIES + SOURCES]]


def write_records(path: Path, queries: int = QUERIES, *, words: int = 400) -> str:
    """Write answers over demo pages: query i is answered from the pages i to i + 3."""
    cut = [" ".join(text.split()[:words]) for text in texts()]
    lines = []
    for i in range(queries):
        sources = [{"key": str(j + 1), "text": cut[i + j]} for j in range(SOURCES)]
        row = {"id": f"q{i}", "query": f"question {i}", "engine": "e", "answer": ANSWER, "sources": sources}
        lines.append(json.dumps(row))
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return str(path)


def values_of(chosen: list[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
    pages = [score_text(text, as_of=AS_OF, title="", evidence=False) for text in chosen]
    return np.array([[page.readings[name].value for name in NAMES] for page in pages])


@pytest.fixture(scope="module")
def train() -> ComponentValues:
    base = values_of(texts())
    # Saturated on most training pages, so that the hybrid turns it into percentiles.
    base[:, NAMES.index("quotable_density")] = [0.0, 20.0, 40.0, 60.0] + [100.0] * (len(base) - 4)
    return ComponentValues(tuple(map(str, range(len(base)))), (300,) * len(base), {"base": base})


def measure(records: Any, train: ComponentValues) -> dict[str, Any]:
    return compare_on_records(Request((), {"records": records, "seed": 0}, AS_OF), train, WEIGHTS)


def test_the_correlation_is_that_of_each_query_averaged(tmp_path: Path, train: ComponentValues) -> None:
    found = measure(write_records(tmp_path / "long.jsonl"), train)["long"]
    assert found["answers"] == QUERIES
    weights, chosen = np.array([*CHOSEN.values()]), texts()
    for name, transform in (("released", sqrt), ("sqrt", sqrt), ("hybrid", fit_hybrid(train))):
        each = []
        for i in range(QUERIES):
            content = (transform(values_of(chosen[i : i + SOURCES])) @ weights).tolist()
            each.append(spearman(content, [4.0, 3.0, 2.0, 1.0]))  # as often as the answer names them
        expected = sum(r for r in each if r is not None) / QUERIES
        assert found["spearman"][name]["mean"] == pytest.approx(expected, abs=1e-9)
    assert found["differences"]["hybrid - sqrt"]["mean"] == pytest.approx(
        found["spearman"]["hybrid"]["mean"] - found["spearman"]["sqrt"]["mean"]
    )
    assert abs(found["differences"]["hybrid - sqrt"]["mean"]) > 0.01


def test_files_without_figures_say_why_and_do_not_stop_the_others(tmp_path: Path, train: ComponentValues) -> None:
    (tmp_path / "other.jsonl").write_text('{"nothing": 1}\n')
    paths = [
        write_records(tmp_path / "few.jsonl", 3),
        write_records(tmp_path / "short.jsonl", words=60),
        str(tmp_path / "other.jsonl"),
        write_records(tmp_path / "long.jsonl"),
    ]
    found = measure(paths, train)
    assert found["few"]["undefined"] == "3 queries; 8 are needed"
    assert found["short"]["undefined"].startswith("snippets: ")
    assert "not a record of outcomes" in found["other"]["undefined"]
    assert str(tmp_path) not in json.dumps(found)
    assert "spearman" in found["long"]
    with pytest.raises(SteelyardError, match="not a record of outcomes"):
        measure(str(tmp_path / "other.jsonl"), train)


def test_without_records_there_is_no_outcome_arm(train: ComponentValues) -> None:
    assert measure(None, train) == measure([], train) == {}
