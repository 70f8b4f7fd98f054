"""Measure what the rule for the default edition asks: gates on both halves, attacker's gains, agreement with grades.

    python -m tools.edition_check      reads $STEELYARD_DATA or ../shared/data, writes docs/study/checks/editions.json

The figures are those of `protocol gates --edition`, in English and French, on the measuring pages.
"""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from steelyard.components.arithmetic.numbers import mean
from steelyard.lab.corpus import loading
from steelyard.lab.protocol import capture
from steelyard.lab.protocol.capture import Plan
from steelyard.lab.protocol.falsify import judge_weighting
from steelyard.lab.scorers.own import OwnScorer
from steelyard.lab.stats.correlation import spearman
from steelyard.lab.study.formatting import plain, signed
from steelyard.pipeline import score_text
from steelyard.scoring import editions, weighting
from steelyard.support.artifacts import hash_file, make_envelope, round_floats, write_artifact
from steelyard.support.table import Column, Table
from tools.study import STUDY, data_folder

RESULT = STUDY / "checks" / "editions.json"
AS_OF = date(2026, 7, 1)
LANGUAGES = ("en", "fr")


def judge(edition: str, code: str) -> dict[str, Any]:
    """Return the gates on both halves and the attacker's gains of an edition's content score."""
    corpus = loading.load_corpus(str(data_folder() / f"web_{code}.jsonl"))
    pages = corpus.pages_in(code)
    scorer, plan = OwnScorer(as_of=AS_OF, edition=edition), Plan()
    header = capture.build_header(pages, corpus.digest, corpus.name, scorer, plan)
    found = capture.capture(pages, scorer, header, plan, quiet=True)
    result = judge_weighting(found, weighting.load(editions.load(edition).weights))
    gains = {(row["edit"], row["dose"]): row["mean"] for row in result["all_pages"]["gains"]}
    return {
        "pages": len(pages),
        "gates": {split: result["verdicts"][split]["passed"] for split in ("train", "test")},
        "largest_gain": result["largest_gain"]["all_pages"],
        "three_levers_dose_8": gains["combined", 8],
        "stuffing_dose_8": gains["keyword_stuffing", 8],
        "duplication": result["verdicts"]["all"]["duplication"]["statistic"],
    }


def agree(edition: str, *, flattened: bool) -> float | None:
    """Return the Spearman correlation of content with readers' mean grades of substance."""
    folder = data_folder()
    pages = {p["id"]: p for p in map(json.loads, (folder / "web_en.jsonl").open(encoding="utf-8"))}
    contents, grades = [], []
    for graded in map(json.loads, (folder / "marks" / "grades_en.jsonl").open(encoding="utf-8")):
        page = pages[graded["id"]]
        text, title = (" ".join(page["text"].split()[:400]), "") if flattened else (page["text"], page["title"])
        scored = score_text(
            text, as_of=AS_OF, title=title, language="en", edition=editions.load(edition), evidence=False
        )
        contents.append(scored.content)
        grades.append(mean(graded["substance"]))
    return spearman(contents, grades)


def measure() -> None:
    """Measure every edition and write the result."""
    result = {
        name: {
            "languages": {code: judge(name, code) for code in LANGUAGES},
            "grades": {view: agree(name, flattened=view == "flattened") for view in ("flattened", "structured")},
        }
        for name in editions.NAMES
    }
    files = ("web_en.jsonl", "web_fr.jsonl", "marks/grades_en.jsonl")
    inputs = {name: hash_file(data_folder() / name) for name in files}
    envelope = make_envelope("steelyard.editions/1", inputs=inputs, parameters={"as_of": str(AS_OF)}, result=result)
    write_artifact(RESULT, round_floats(envelope))


def render_table() -> str:
    """Return the table of the documentation."""
    result = json.loads(RESULT.read_text("utf-8"))["result"]
    names = sorted(result, key=editions.NAMES.index)
    rows: list[list[str]] = []
    for code in LANGUAGES:
        found = [result[name]["languages"][code] for name in names]
        rows += [
            [f"{code}: gates passed, train / test", *(f"{f['gates']['train']} / {f['gates']['test']}" for f in found)],
            [f"{code}: largest mean gain of one lever", *(signed(f["largest_gain"]["mean"]) for f in found)],
            [f"{code}: three levers at dose 8", *(signed(f["three_levers_dose_8"]) for f in found)],
            [f"{code}: stuffing at dose 8", *(signed(f["stuffing_dose_8"]) for f in found)],
            [f"{code}: duplication", *(signed(f["duplication"]) for f in found)],
        ]
    for view in ("flattened", "structured"):
        rows.append([f"Spearman with grades, {view}", *(plain(result[name]["grades"][view], 3) for name in names)])
    return Table([Column("figure"), *(Column(name, right=True) for name in names)], rows).to_markdown()


def main() -> None:
    measure()
    print(render_table())


if __name__ == "__main__":
    main()
