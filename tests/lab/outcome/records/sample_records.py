"""Invented miniatures of every record format, and where the real files are."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from steelyard.lab.outcome.records.rows import Row
from tests.conftest import SHARED_DATA

DATA = SHARED_DATA

SALT = "The harbour sells salt from the northern pans by the barrel."
ICE = "Ice closes the bay in January and opens it in late March."
TAR = "Tar is boiled behind the market and keeps the boats dry."


def real(name: str) -> Path:
    """A file of the measuring data, or a skipped test."""
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"{path} is not here (STEELYARD_DATA names the folder)")
    return path


def rows(*values: dict[str, Any]) -> list[Row]:
    return [Row(f"mine:{number}", value) for number, value in enumerate(values, start=1)]


def jsonl(path: Path, values: Sequence[Any]) -> Path:
    data = "".join(json.dumps(v, ensure_ascii=False) + "\n" for v in values).encode("utf-8", "surrogatepass")
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def geo_bench(**changes: Any) -> dict[str, Any]:
    return {
        "query": "what does the harbour sell",
        "tags": ["informational", "trade"],
        "sugg_idx": 2,
        "sources": [
            {"raw_text": "raw", "cleaned_text": SALT, "url": "https://a.example/salt"},
            {"raw_text": ICE, "cleaned_text": "", "url": "https://b.example/ice"},
            {"raw_text": TAR, "cleaned_text": TAR, "url": "https://b.example/ice"},
        ],
        "baseline_response": "The harbour sells salt [1]. Tar is sold too [3].",
        "edits": {
            "quotes": {
                "choosen_doc_idx": 0,
                "edited": f"“Salt is life.” {SALT}",
                "response": "Salt is life there [1].",
            },
            "summary": {"choosen_doc_idx": 0, "edited": "Salt.", "response": "Tar is sold [3]."},
        },
    } | changes


def scholarqa(**changes: Any) -> dict[str, Any]:
    return {
        "id": "ab12",
        "query": "when does the bay open",
        "engine": "some-engine",
        "answer": "The bay opens in March [4]. Salt goes out first [9], then tar [4, 12].",
        "sources": [
            {"key": "0", "text": ICE, "llm_relevance": 2.5},
            {"key": "1", "text": SALT, "llm_relevance": -1.0},
            {"key": "2", "text": TAR},
        ],
    } | changes


def google(engine: str = "google-ai-mode", shares: Sequence[Any] = (0.75, 0.0, 0.25), **changes: Any) -> dict[str, Any]:
    return {
        "query": "when does the bay open",
        "engine": engine,
        "sources": [
            {
                "url": f"https://{place}.example/",
                "title": f"Page {place}",
                "text": text,
                "position": place if place < 3 else 5,
                "share": share,
                "llm_relevance": 0.5 * place,
            }
            for place, text, share in zip((1, 2, 3), (ICE, SALT, TAR), shares, strict=True)
        ],
    } | changes


def qwen(**changes: Any) -> dict[str, Any]:
    return {
        "id": "ab12",
        "set": "scholarqa",
        "query": "when does the bay open",
        "engine": "small-model",
        "source_keys": ["2", "0", "1"],
        "llm_relevance": [0.1, 0.2, 0.3],
        "words_per_source": 4,
        "forced": {
            "forward": {"answer": "Tar dries boats [1].", "cite_probs": [[0.7, 0.2, 0.1]]},
            "reversed": {
                "answer": "Ships bring salt [1]. Ice comes late [2].",
                "cite_probs": [[0.6, 0.3, 0.1], [0.2, 0.8, 0.0]],
            },
        },
        "runs": {"greedy": "Nobody knows.", "sample-1": "Ice comes late [2]."},
    } | changes


def msmarco(**changes: Any) -> dict[str, Any]:
    return {"query_id": 77, "query": "who boils tar", "query_type": "person", "passages": [SALT, ICE, TAR]} | changes


def b2b(method: str = "quotes", **changes: Any) -> dict[str, Any]:
    return {
        "query_id": 1,
        "query": "which salt to buy",
        "engine": "some-engine",
        "method": method,
        "pawc_share": 0.3,
        "baseline_share": 0.1,
        "baseline_share_repeat": 0.15,
        "target_index": 3,
        "text": "Buy ours, it is dry.",
    } | changes
