"""What a broken edit does to the verdicts when nothing checks it: bugs planted one at a time, and measured.

The postconditions of the edits stop every one of them before a page is scored; here they are left out on purpose.

    python tools/planted_bugs.py                  $STEELYARD_DATA or ../shared/data, the demo pages where they are not;
                                                  writes docs/study/checks/planted-bugs.json and prints its tables
    python tools/planted_bugs.py --corpus demo    the same on other pages; --to names another file
    python tools/planted_bugs.py --table          prints the tables of the committed artifact
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from steelyard.lab.corpus import CorpusPage, loading
from steelyard.lab.edits import BY_NAME
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.postconditions import EditBroken, check_edit
from steelyard.lab.protocol.alignment import align
from steelyard.lab.protocol.capture import Capture, CapturePlan, Row, build_header
from steelyard.lab.protocol.component_values import TooFewSources, split_train_test
from steelyard.lab.protocol.gates import GATES, Verdict, judge
from steelyard.lab.protocol.gates.base import PASS
from steelyard.lab.protocol.strategies import evaluate_strategy, fit_families, select_strategy
from steelyard.lab.protocol.variants import BASE, LEVERS, MAX_DOSE, PAPER, STUFFING, TECHNICAL, variant_name
from steelyard.lab.scorers.base import Passage
from steelyard.lab.scorers.own import OwnScorer
from steelyard.support.artifacts import make_envelope, mark_undefined, round_floats, write_artifact
from steelyard.support.table import Column, Table
from tools.planted_edits import BUGS, Bug, Planted

ROOT = Path(__file__).resolve().parent.parent
ARTIFACT = ROOT / "docs" / "study" / "checks" / "planted-bugs.json"
SCHEMA = "steelyard.planted-bugs/1"
SCORER = OwnScorer(as_of=date(2026, 7, 1))
PLAN = CapturePlan(variants=PAPER)
SOURCES = 60
DOSED = (*LEVERS, STUFFING)
RESPONSES = (*((edit, dose) for edit in DOSED for dose in (1, MAX_DOSE)), (TECHNICAL, 1))

Rows = dict[tuple[str, str], Row]
Scores = Callable[[str], Mapping[str, float]]


def caught(bug: Bug, target: Target) -> str:
    """What the postconditions say of the bug on a page, at any dose of a capture; nothing if it gets past them."""
    for edit in bug.edits:
        for dose in edit.doses:
            try:
                check_edit(edit, target, edit.apply(target, dose=dose), dose=dose)
            except EditBroken as error:
                return str(error)
    return ""


def rows(pages: Sequence[CorpusPage], scores: Scores, bug: Bug | None = None) -> Rows:
    """The rows of a capture that no postcondition sees; with a bug only of the variants it is in."""
    edits = {**BY_NAME, **{edit.name: edit for edit in (bug.edits if bug else ())}}
    found: Rows = {}
    for page in pages:
        target = Target(page.view(PLAN.view), page.language)
        for variant in PAPER:
            chosen = [edits[name] for name in variant.edits]
            if bug and not any(isinstance(edit, Planted) for edit in chosen):
                continue
            text = chosen[0].apply(target, dose=variant.dose, seed=PLAN.seed).text if chosen else target.text
            row: Row = {"source": page.id, "variant": variant.name, "values": dict(scores(text))}
            if variant == BASE:
                row |= {"split": page.split, "words": len(text.split())}
            found[page.id, variant.name] = row
    return found


def figures(taken: Capture) -> dict[str, Any]:
    """The shipped score on all sources, and the families fitted on the training sources."""
    responses = taken.responses()
    return {
        "responses": {variant_name(edit, dose): responses.delta(edit, dose) for edit, dose in RESPONSES},
        "pearson": align(responses, draws=0).pearson,
        "gates": _gates(judge(responses, draws=0)),
        **_families(taken),
    }


def _families(taken: Capture) -> dict[str, Any]:
    try:
        train, test = split_train_test(taken)
    except TooFewSources as error:
        return {"families": mark_undefined(str(error)), "selected": None}
    found = [evaluate_strategy(strategy, train, test, draws=0) for strategy in fit_families(train)]
    chosen = select_strategy(found)
    return {
        "families": {
            t.strategy.name: {
                "pearson": t.test.alignment.pearson,
                "train": _gates(t.train.verdicts),
                "test": _gates(t.test.verdicts),
            }
            for t in found
        },
        "selected": chosen.strategy.name if chosen else None,
    }


def _gates(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    return {v.gate: {"status": v.status, "statistic": v.statistic} for v in verdicts}


def figure(measured: Mapping[str, Any], name: str) -> float:
    """A response, the alignment or a gate's statistic, by its name."""
    if name in measured["gates"]:
        return float(measured["gates"][name]["statistic"])
    return float(measured["pearson"] if name == "pearson" else measured["responses"][name])


def overturned(right: Mapping[str, Any], wrong: Mapping[str, Any]) -> Iterator[str]:
    """Every verdict that is another one with the bug: of the shipped score, of a family in training, the selection."""
    scorers = {"shipped": (right["gates"], wrong["gates"])}
    if "undefined" not in right["families"]:
        scorers |= {f: (right["families"][f]["train"], wrong["families"][f]["train"]) for f in right["families"]}
    for scorer, (before, after) in scorers.items():
        for gate in before:
            if before[gate]["status"] != after[gate]["status"]:
                yield f"{scorer}: {gate} {before[gate]['status']} → {after[gate]['status']}"
    if right["selected"] != wrong["selected"]:
        yield f"selected: {right['selected'] or 'none'} → {wrong['selected'] or 'none'}"


def measure(pages: Sequence[CorpusPage], *, name: str = "", digest: str = "") -> dict[str, Any]:
    """The figures without a bug, and with each."""
    head = build_header(pages, digest, name, SCORER, PLAN)
    targets = [Target(page.view(PLAN.view), page.language) for page in pages]
    with SCORER.open() as session:

        @cache  # a bug leaves most texts as they were
        def scores(text: str) -> Mapping[str, float]:
            return session.score(Passage(text, pages[0].language))

        whole = rows(pages, scores)
        right = figures(Capture(head, tuple(whole.values())))
        bugs = {}
        for bug in BUGS:
            wrong = figures(Capture(head, tuple({**whole, **rows(pages, scores, bug)}.values())))
            bugs[bug.name] = {
                "about": bug.about,
                "edits": [edit.name for edit in bug.edits],
                "condition": bug.condition,
                "caught": sum(bug.condition in caught(bug, target) for target in targets),
                **wrong,
                "overturned": list(overturned(right, wrong)),
            }
    return {"sources": len(pages), "right": right, "bugs": bugs}


def spread(pages: Sequence[CorpusPage], most: int = SOURCES) -> tuple[CorpusPage, ...]:
    """So many of the pages, evenly over the file: neighbours are often of one site."""
    return tuple(pages[i * len(pages) // most] for i in range(most)) if len(pages) > most else tuple(pages)


def render_table() -> str:
    """Return the tables of the committed artifact."""
    return tables(json.loads(ARTIFACT.read_text("utf-8"))["result"])


def tables(result: Mapping[str, Any]) -> str:
    """What every bug does to the responses, and to the verdicts."""
    listed = {"without a bug": {**result["right"], "overturned": []}}
    listed |= {bug.name: result["bugs"][bug.name] for bug in BUGS}  # an artifact's keys are sorted
    responses = Table(
        [
            Column("bug"),
            *(Column(f"{e.replace('_', ' ')} x{d}", "+.2f", right=True) for e, d in RESPONSES),
            Column("r", ".3f", right=True),
        ],
        [
            [name, *(m["responses"][variant_name(e, d)] for e, d in RESPONSES), m["pearson"]]
            for name, m in listed.items()
        ],
    )
    verdicts = Table(
        [
            Column("bug"),
            *(Column(gate.name, ".2f", right=True) for gate in GATES),
            Column("selected"),
            Column("verdicts overturned"),
        ],
        [
            [
                name,
                *(_shown(m["gates"][gate.name]) for gate in GATES),
                m["selected"] or "none",
                "; ".join(m["overturned"]) or None,
            ]
            for name, m in listed.items()
        ],
    )
    return f"{result['sources']} sources\n\n{responses.to_markdown()}\n{verdicts.to_markdown()}".replace("\\+", "+")


def _shown(gate: Mapping[str, Any]) -> str:
    value = gate["status"] if gate["statistic"] is None else f"{gate['statistic']:.2f}"
    return value if gate["status"] == PASS or gate["statistic"] is None else f"{value} {gate['status']}"


def default_corpus() -> str:
    path = Path(os.environ.get("STEELYARD_DATA") or ROOT.parent / "shared" / "data") / "web_en.jsonl"
    return str(path) if path.exists() else loading.DEMO


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--corpus", metavar="demo|FILE", help="the pages [default: web_en.jsonl of the measuring data]")
    parser.add_argument("--to", type=Path, default=ARTIFACT, help="the file that is written")
    parser.add_argument("--table", action="store_true", help="from the committed artifact")
    options = parser.parse_args()
    if options.table:
        print(render_table(), end="")
        return 0
    corpus = loading.load_corpus(options.corpus or default_corpus())
    result = measure(spread(corpus.pages_in("en")), name=corpus.name, digest=corpus.digest)
    record = make_envelope(
        SCHEMA,
        inputs={corpus.name: corpus.digest},
        parameters={"sources": SOURCES, "view": PLAN.view, "arm": PLAN.arm, "seed": PLAN.seed, "scorer": repr(SCORER)},
        result=round_floats(result, 4),
    )
    write_artifact(options.to, record)
    print(tables(record["result"]), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
