"""The distribution of every component on the English measuring pages, beside the paper's table.

`./run docs` cannot make this page, because the pages are not part of the project:

    python -m tools.distributions            reads $STEELYARD_DATA or ../shared/data, writes
                                             docs/artifacts/distributions.json and prints the table
    python -m tools.distributions --table    prints the table from the committed artifact
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

from steelyard.components import NAMES
from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.stats.summary import deviation, quantile
from steelyard.pipeline import score_text
from steelyard.scoring.page import PageScore
from steelyard.support.artifacts import write_artifact
from steelyard.support.table import Column, Table

ROOT = Path(__file__).resolve().parent.parent
ARTIFACT = ROOT / "docs" / "artifacts" / "distributions.json"
AS_OF = date(2026, 7, 1)
WORDS = 400

# The paper's Table tab:dist (500 GEO-Bench sources): mean, sd, share at 100, share at 0, in per cent.
PAPER = {
    "shannon_entropy": (99.3, 6.4, 84.0, 0.4),
    "information_density": (87.3, 6.0, 0.0, 0.4),
    "quotable_density": (48.9, 43.3, 28.6, 40.4),
    "entity_density": (86.6, 21.2, 57.4, 0.8),
    "semantic_coherence": (52.0, 4.3, 0.0, 0.4),
    "self_containment": (70.1, 16.7, 19.0, 0.4),
    "statistic_density": (17.4, 29.5, 6.6, 60.6),
    "mmr_score": (19.9, 1.3, 0.0, 0.4),
    "citation_f1": (10.6, 29.6, 0.0, 88.6),
    "ndcg_score": (19.9, 1.3, 0.0, 0.4),
    "semantic_redundancy": (19.9, 1.3, 0.0, 0.4),
}


def data() -> Path:
    return Path(os.environ.get("STEELYARD_DATA") or ROOT.parent / "shared" / "data")


def rows(name: str) -> tuple[list[dict[str, Any]], str]:
    """The records of one file and its SHA-256."""
    raw = (data() / name).read_bytes()
    return [json.loads(line) for line in raw.splitlines() if line.strip()], hashlib.sha256(raw).hexdigest()


def flattened(text: str) -> str:
    """The paper's view of a source: 400 whitespace words on one line."""
    return " ".join(text.split()[:WORDS])


def summary(pages: list[PageScore]) -> dict[str, Any]:
    result = {}
    for name in NAMES:
        values = [p.readings[name].value for p in pages]
        result[name] = {
            "mean": mean(values),
            "sd": deviation(values),
            "p5": quantile(values, 0.05),
            "p50": quantile(values, 0.5),
            "p95": quantile(values, 0.95),
            "percent_at_100": 100 * sum(v == 100 for v in values) / len(values),
            "percent_at_0": 100 * sum(v == 0 for v in values) / len(values),
            "percent_at_20": 100 * sum(v == 20 for v in values) / len(values),
            "unique": len(set(values)),
        }
    return result


def measure() -> dict[str, Any]:
    english, english_hash = rows("web_en.jsonl")
    french, french_hash = rows("web_fr.jsonl")
    flat = [score_text(flattened(r["text"]), as_of=AS_OF, title="", language="en", evidence=False) for r in english]
    titled = [score_text(r["text"], as_of=AS_OF, title=r.get("title") or None, evidence=False) for r in english]
    french_flat = [score_text(flattened(r["text"]), as_of=AS_OF, title="", evidence=False) for r in french]
    return {
        "inputs": {"web_en.jsonl": english_hash, "web_fr.jsonl": french_hash},
        "origins": dict(Counter(r["origin"] for r in english)),
        "scoring": flat[0].scoring.hash,
        "views": {
            "English, flattened, no title": {"n": len(flat), "components": summary(flat)},
            "English, structured, titled": {"n": len(titled), "components": summary(titled)},
            "French, flattened, no title": {"n": len(french_flat), "components": summary(french_flat)},
        },
        "guards": {
            "English": sum(p.guard is not None for p in flat),
            "French": sum(p.guard is not None for p in french_flat),
        },
    }


def tables(artifact: dict[str, Any]) -> str:
    head = [Column("component")]
    for side in ("ours", "paper"):
        head += [Column(f"{side} {w}", ".1f", right=True) for w in ("mean", "sd", "% at 100", "% at 0")]
    views = artifact["views"]
    flat = views["English, flattened, no title"]
    body = []
    for name in NAMES:
        s = flat["components"][name]
        body.append([f"`{name}`", s["mean"], s["sd"], s["percent_at_100"], s["percent_at_0"], *PAPER[name]])
    parts = [f"English, flattened, no title, n = {flat['n']}\n", _markdown(Table(head, body))]
    for title in ("English, structured, titled", "French, flattened, no title"):
        view = views[title]
        keys = ("mean", "sd", "p5", "p50", "p95", "percent_at_100", "percent_at_0")
        columns = [Column("component"), *(Column(k.replace("percent_at_", "% at "), ".1f", right=True) for k in keys)]
        lines = [[f"`{n}`", *(view["components"][n][k] for k in keys)] for n in NAMES]
        parts += [f"\n{title}, n = {view['n']}\n", _markdown(Table(columns, lines))]
    return "\n".join(parts)


def _markdown(table: Table) -> str:
    return table.to_markdown().replace("\\_", "_").replace("\\`", "`")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--table", action="store_true", help="from the committed artifact")
    parser.add_argument("--check", action="store_true", help="measure again and compare with the artifact")
    options = parser.parse_args()
    if options.table:
        print(tables(json.loads(ARTIFACT.read_text("utf-8"))), end="")
        return 0
    artifact = measure()
    if options.check:
        same = json.loads(ARTIFACT.read_text("utf-8")) == json.loads(json.dumps(artifact))
        print("the artifact is what is measured" if same else "the artifact is out of date")
        return 0 if same else 1
    write_artifact(ARTIFACT, artifact)
    print(tables(artifact), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
