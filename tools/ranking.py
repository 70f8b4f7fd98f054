"""The ranker on the records we have, for docs/ranking.md.

python -m tools.ranking                 reads $STEELYARD_DATA or ../shared/data, writes docs/artifacts/ranking/
                                        and docs/images/ranking/ (some minutes)
python -m tools.ranking --table NAME    prints a study's tables from its committed artifact
python -m tools.ranking --lines NAME    prints what it comes to in words
"""

from __future__ import annotations

import os
from typing import Any

from steelyard.errors import SteelyardError
from steelyard.lab.ranking.load import load
from steelyard.lab.ranking.prepare import Prepared, prepare
from steelyard.lab.ranking.signals import resolve
from steelyard.lab.ranking.study import study
from steelyard.lab.study import paper_comparison as beside
from steelyard.lab.study import ranking
from steelyard.support.pool import Lost, ordered_map
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


def beside_the_paper() -> str:
    """The paper's tables and ours; a dash where ours is undefined."""
    listed = beside.rankers(BOOK.result, tuple(FILES))
    return "\n".join(f"**{t.title}**\n\n{t.table.to_markdown()}\n{t.note}\n" for t in listed)


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
