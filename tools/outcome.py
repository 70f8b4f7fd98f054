"""The oracle on the records we have: every study's artifact and plots, for docs/outcome.md.

python -m tools.outcome                 reads $STEELYARD_DATA or ../shared/data, writes docs/artifacts/outcome/
                                        and docs/images/outcome/ (about two minutes)
python -m tools.outcome --table NAME    prints a study's tables from its committed artifact
python -m tools.outcome --lines NAME    prints what it comes to in words
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from steelyard.lab.corpus import loading as candidates
from steelyard.lab.outcome import run as runs
from steelyard.lab.outcome.ceiling import ceiling
from steelyard.lab.outcome.engines.extractive import Extractive
from steelyard.lab.outcome.experiment import Plan
from steelyard.lab.outcome.records import questions
from steelyard.lab.outcome.records.resolve import Loaded, load
from steelyard.lab.outcome.study import anchored, study
from steelyard.lab.protocol.readings import halves_of
from steelyard.lab.study import outcome, outcome_anchors, outcome_ceiling
from steelyard.support.artifacts import sha256_of
from tools.book import SEED, Book, Maker
from tools.captures import taken
from tools.distributions import AS_OF, ROOT, data

REPORTS: dict[str, Maker] = {
    "geo-bench": outcome.findings,
    "scholarqa": outcome.findings,
    "google-ai": outcome.findings,
    "qwen": outcome.findings,
    "qwen-scholarqa": outcome.findings,
    "b2b": outcome.findings,
    "ceiling": outcome_ceiling.findings,
    "embedded": outcome.findings,
    "embedded-anchors": outcome_anchors.findings,
}
BOOK = Book("outcome", REPORTS, plotted=("ceiling", "embedded"))


def measure() -> dict[str, tuple[dict[str, Any], dict[str, str]]]:
    """name → (result, inputs)."""
    folder = data() / "outcomes"
    files = {
        "geo-bench": load(data() / "geo_bench_rows.json"),
        "scholarqa": load(folder / "scholarqa_gpt4o.jsonl"),
        "google-ai": load(folder / "google_ai_answers.jsonl"),
        "qwen": load(folder / "qwen_answers.jsonl"),
        "b2b": load(folder / "b2b_rewrites.jsonl.gz"),
    }
    found: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
        name: (study([file], as_of=AS_OF, seed=SEED), dict(file.inputs)) for name, file in files.items()
    }
    qwen = files["qwen"]
    found["qwen-scholarqa"] = (study([qwen], tag="scholarqa", as_of=AS_OF, seed=SEED), dict(qwen.inputs))
    several = [files[name] for name in ("scholarqa", "google-ai", "qwen")]
    inputs = {name: digest for file in several for name, digest in file.inputs.items()}
    found["ceiling"] = (ceiling(several, "strict", seed=SEED), inputs)
    demo, made_from = embedded(), demo_inputs()
    found["embedded"] = (study([demo], as_of=AS_OF, seed=SEED), made_from)
    english = taken("web_en.jsonl", "en")
    again = anchored([demo], "strict", dated=AS_OF, halves=halves_of(english), seed=SEED)
    found["embedded-anchors"] = (again, {**english.header.inputs, **made_from})
    return found


def embedded() -> Loaded:
    """The whole experiment on the demo questions with the embedded reference."""
    asked, engine, plan = questions.demo(), Extractive(), Plan(canary=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "demo.jsonl"
        runs.run(asked, engine, plan, path, runs.header(asked, {}, engine, plan))
        return load(path)


def demo_inputs() -> dict[str, str]:
    """What that experiment is made from: the questions, and the pages they are about."""
    file = ROOT / "examples" / "questions.toml"
    return {file.name: sha256_of(file), candidates.DEMO: candidates.load(candidates.DEMO).digest}


def main() -> None:
    if not BOOK.printed(BOOK.parser(__doc__).parse_args()):
        BOOK.write(measure())


if __name__ == "__main__":
    main()
