"""The ranker on the records we have, for docs/ranking.md.

python -m tools.ranking                 reads $STEELYARD_DATA or ../shared/data, writes docs/artifacts/ranking/
                                        and docs/images/ranking/ (some minutes)
python -m tools.ranking --table NAME    prints a study's tables from its committed artifact
python -m tools.ranking --lines NAME    prints what it comes to in words
"""

from __future__ import annotations

from typing import Any

from steelyard.ranking.load import load
from steelyard.ranking.prepare import Prepared, prepare
from steelyard.ranking.signals import resolve
from steelyard.ranking.study import study
from steelyard.report.studies import ranking
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


def prepared(names: tuple[str, ...]) -> Prepared:
    """With the meanings of wordllama and the relevance that the records carry."""
    groups = load([str(data() / "outcomes" / name) for name in names])
    return prepare(
        groups,
        as_of=AS_OF,
        embedder=resolve.embedder("wordllama"),
        cross_encoder=resolve.cross_encoder("given"),
        quiet=False,
    )


def measure() -> dict[str, tuple[dict[str, Any], dict[str, str]]]:
    """name → (result, inputs)."""
    found = {}
    for name, files in FILES.items():
        made = prepared(files)
        found[name] = (study(made, seed=SEED, quiet=False), dict(made.data.inputs))
    return found


def main() -> None:
    if not BOOK.printed(BOOK.parser(__doc__).parse_args()):
        BOOK.write(measure())


if __name__ == "__main__":
    main()
