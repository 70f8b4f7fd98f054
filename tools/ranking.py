"""The ranker on the records we have, for docs/ranking.md.

python -m tools.ranking                 reads $STEELYARD_DATA or ../shared/data, writes docs/artifacts/ranking/
                                        and docs/images/ranking/ (some minutes)
python -m tools.ranking --table NAME    prints a study's tables from its committed artifact
python -m tools.ranking --lines NAME    prints what it comes to in words
"""

from __future__ import annotations

import os
from typing import Any

from steelyard.base.errors import SteelyardError
from steelyard.base.pool import Lost, ordered_map
from steelyard.ranking.load import load
from steelyard.ranking.prepare import Prepared, prepare
from steelyard.ranking.signals import resolve
from steelyard.ranking.study import study
from steelyard.render.table import Column, Table
from steelyard.report.studies import ranking
from steelyard.report.studies.words import plain, right
from tools.book import SEED, Book, Maker
from tools.distributions import AS_OF, data

FILES = {
    "google-ai": ("google_ai_answers.jsonl",),
    "scholarqa": ("scholarqa_gpt4o.jsonl",),
    "qwen": ("qwen_answers.jsonl",),
    "scholarqa-qwen": ("scholarqa_gpt4o.jsonl", "qwen_answers.jsonl"),
}
REPORTS: dict[str, Maker] = dict.fromkeys(FILES, ranking.findings)
BOOK = Book("ranking", REPORTS, plotted=tuple(FILES))


# The paper's tables "ltr" and "leak": Spearman within queries, ten engines, 229 queries. Where it is in our result.
PAPER: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("BM25", "0.147", ("baselines", "q_bm25", "spearman", "mean")),
    ("fixed score", "0.119", ("baselines", "c_content", "spearman", "mean")),
    ("position (leak)", "0.131, 0.165", ("baselines", "leak_position", "spearman", "mean")),
    ("embedding cosine", "0.286", ("baselines", "e_cosine", "spearman", "mean")),
    ("cross-encoder; here given relevance", "0.388", ("baselines", "x_logit", "spearman", "mean")),
    ("ridge, content only", "0.075", ("models", "ridge, content only", "metrics", "spearman", "mean")),
    ("ridge, query only", "0.370", ("models", "ridge, query only", "metrics", "spearman", "mean")),
    ("LambdaMART, content only", "0.104", ("models", "LambdaMART, content only", "metrics", "spearman", "mean")),
    ("LambdaMART, regex only", "0.222", ("models", "LambdaMART, regex only", "metrics", "spearman", "mean")),
    ("LambdaMART, + embedding", "0.286", ("models", "LambdaMART, + embedding", "metrics", "spearman", "mean")),
    ("LambdaMART, + cross-encoder", "0.357", ("models", "LambdaMART, + cross-encoder", "metrics", "spearman", "mean")),
    ("LambdaMART, full", "0.368", ("models", "LambdaMART, full", "metrics", "spearman", "mean")),
    ("probe, record folds", "0.485", ("audit", "models", "query-blind probe", "record_folds")),
    ("probe, query folds", "0.065", ("audit", "models", "query-blind probe", "query_folds")),
    ("one engine left out", "0.626", ("transfer", "without_position", "means", "engine")),
    ("engine and queries left out", "0.337", ("transfer", "without_position", "means", "engine and queries")),
)


def beside_the_paper() -> str:
    """The paper's figures and ours; a dash where ours is undefined."""
    results = {name: BOOK.result(name) for name in FILES}
    rows = []
    for title, paper, path in PAPER:
        row = [title, paper]
        for result in results.values():
            value: Any = result
            for step in path:
                value = value.get(step) if isinstance(value, dict) else None
            row.append(plain(value, 3))
        rows.append(row)
    return Table([Column("figure"), right("paper"), *(right(name) for name in FILES)], rows).to_markdown()


def prepared(names: tuple[str, ...]) -> Prepared:
    """With the meanings of wordllama and the relevance that the records carry."""
    groups = load([str(data() / "outcomes" / name) for name in names])
    return prepare(
        groups,
        as_of=AS_OF,
        embedder=resolve.embedder("wordllama"),
        cross_encoder=resolve.cross_encoder("given"),
    )


def measure() -> dict[str, tuple[dict[str, Any], dict[str, str]]]:
    """name → (result, inputs)."""
    found = {}
    for name, result in zip(FILES, ordered_map(_measured, FILES.values(), os.cpu_count() or 1), strict=True):
        if isinstance(result, Lost):
            raise SteelyardError(f"{name}: a worker was lost ({result.reason})")
        found[name] = result
    return found


def _measured(files: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, str]]:
    made = prepared(files)
    return study(made, seed=SEED), dict(made.data.inputs)


def main() -> None:
    parser = BOOK.parser(__doc__)
    parser.add_argument("--paper", action="store_true", help="print our figures beside the paper's")
    arguments = parser.parse_args()
    if arguments.paper:
        print(beside_the_paper(), end="")
    elif not BOOK.printed(arguments):
        BOOK.write(measure())


if __name__ == "__main__":
    main()
