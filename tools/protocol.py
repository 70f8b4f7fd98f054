"""The protocol on the measuring pages: every study's artifact and plots, for docs/protocol.md.

python tools/protocol.py                 reads $STEELYARD_DATA or ../shared/data, writes docs/artifacts/protocol/
                                         and docs/images/protocol/ (a few minutes)
python tools/protocol.py --table NAME    prints a study's tables from its committed artifact
python tools/protocol.py --lines NAME    prints what it comes to in words
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

from steelyard.lab.outcome.citations import geo_numbers
from steelyard.lab.outcome.records import resolve
from steelyard.lab.protocol import comparison, identifiability, matrix, observational, pipeline, robustness
from steelyard.lab.protocol.own import own
from steelyard.lab.protocol.readings import halves_of, readings
from steelyard.lab.study import compare, gates, identify
from steelyard.lab.study import matrix as matrix_report
from steelyard.lab.study import observational as observational_report
from steelyard.lab.study import pipeline as pipeline_report
from steelyard.lab.study import robustness as robustness_report
from steelyard.scoring import weighting
from steelyard.support.artifacts import sha256_of, to_json
from tools.book import SEED, Book, Maker
from tools.captures import taken
from tools.distributions import AS_OF, data

FEWEST_WORDS = 50  # shorter sources are snippets, on which several components say nothing

REPORTS: dict[str, Maker] = {
    "gates-flattened": gates.findings,
    "gates-structured": gates.findings,
    "gates-fresh": gates.findings,
    "gates-french": gates.findings,
    "compare": compare.findings,
    "identify": identify.findings,
    "robustness": robustness_report.findings,
    "matrix": matrix_report.findings,
    "matrix-french": matrix_report.findings,
    "pipeline": pipeline_report.findings,
    "observational": observational_report.findings,
}
BOOK = Book("protocol", REPORTS, plotted=("gates-flattened", "gates-fresh", "compare", "identify"))


def outcomes(as_of: date) -> tuple[observational.Outcomes, str]:
    """Thirty-nine sources of real answers with the number of times each was cited, and the hash of the records."""
    path = data() / "outcomes" / "scholarqa_gpt4o.jsonl"
    rows = []
    for outcome in resolve.load(path).outcomes:
        cited = Counter(geo_numbers(outcome.answer or ""))
        for number, source in enumerate(outcome.sources, start=1):
            if len(source.text.split()) >= FEWEST_WORDS:
                rows.append({"text": source.text, "outcome": cited[number]})
    chosen = random.Random(f"{SEED}|scholarqa").sample(rows, observational.FEW)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "outcomes.jsonl"
        file.write_text("".join(to_json(r, indent=None) + "\n" for r in chosen), "utf-8")
        return observational.read(str(file), as_of), sha256_of(path)


def measure() -> dict[str, tuple[dict[str, Any], dict[str, str]]]:
    """name → (result, inputs)."""
    shipped = weighting.load("shipped")
    english, french = taken("web_en.jsonl", "en"), taken("web_fr.jsonl", "fr")
    structured = taken("web_en.jsonl", "en", view="structured")
    fresh = taken("web_en.jsonl", "en", arm="fresh")
    cited, cited_hash = outcomes(AS_OF)
    train, test = halves_of(english)
    beside = readings(french)
    en, fr = dict(english.header.inputs), dict(french.header.inputs)
    records = {"scholarqa_gpt4o.jsonl": cited_hash}
    return {
        "gates-flattened": (own(english, shipped), en),
        "gates-structured": (own(structured, shipped), en),
        "gates-fresh": (own(fresh, shipped), en),
        "gates-french": (own(french, shipped), fr),
        "compare": (comparison.compare(english, french=french, outcomes=cited), {**en, **fr, **records}),
        "identify": (identifiability.identify(train, test, beside), {**en, **fr}),
        "robustness": (robustness.robustness(train, test), en),
        "matrix": (matrix.study(english, "test"), en),
        "matrix-french": (matrix.study(french, "all"), fr),
        "pipeline": ({"captures": pipeline.pipeline({"en": english, "fr": french})}, {**en, **fr}),
        "observational": (observational.study(cited), records),
    }


def main() -> None:
    if not BOOK.printed(BOOK.parser(__doc__).parse_args()):
        BOOK.write(measure())


if __name__ == "__main__":
    main()
