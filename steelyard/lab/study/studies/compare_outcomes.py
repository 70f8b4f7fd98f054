"""The comparison's outcome arm: how each strategy's content orders the sources of recorded answers.

The paper's case against percentiles for saturated components (the hybrid) has three parts: it keeps the alignment,
breaks dose-response, and lowers the outcome correlation slightly. This is the third.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.components import NAMES
from steelyard.errors import SteelyardError
from steelyard.lab.outcome import score_agreement as agreement
from steelyard.lab.outcome.query_shares import MIN_QUERIES, Bootstrap, compute_query_shares
from steelyard.lab.outcome.records.base import BASELINE
from steelyard.lab.outcome.records.load import RecordFile, load_records
from steelyard.lab.protocol.component_values import Array, ComponentValues, Transform, fit_hybrid, sqrt
from steelyard.lab.study.findings import Titled, format_interval, make_table, plain, signed
from steelyard.lab.study.study import Request, Result
from steelyard.scoring.page import PageScore
from steelyard.support.artifacts import mark_undefined
from steelyard.support.formatting import format_count

HYBRID = "hybrid, outcome correlation"  # how the sentences about it begin
COMPARED = ("released", "sqrt", "hybrid")
PAPER = {"released": 0.115, "hybrid": 0.106}
DRAWS = 1000


def compare_on_records(request: Request, train: ComponentValues, weights: Mapping[str, Result]) -> dict[str, Any]:
    """Return for each file of records the within-query Spearman of every compared strategy, and the differences.

    Args:
        request: Its option `records` names one file or several.
        train: The sources that the hybrid's percentiles come from.
        weights: Component → weight, for every compared strategy.

    Raises:
        SteelyardError: The one file that a user named cannot be read.
    """
    transforms = {name: fit_hybrid(train) if name == "hybrid" else sqrt for name in COMPARED}
    strategies = {name: (transforms[name], np.array([weights[name][n] for n in NAMES])) for name in COMPARED}
    records = request.options["records"]
    is_named = isinstance(records, str)  # by a user; a section of the study gives every file there is
    outcomes: dict[str, Any] = {}
    for path in [records] if is_named else records or ():
        name = Path(path).name
        try:
            file = load_records(path)
            request.inputs.update(file.inputs)
            outcomes[name.split(".")[0]] = _measure(file, strategies, request.as_of, request.seed)
        except SteelyardError as error:
            if is_named:
                raise
            outcomes[name.split(".")[0]] = mark_undefined(str(error).replace(path, name))
    return outcomes


def _measure(
    file: RecordFile, strategies: Mapping[str, tuple[Transform, Array]], as_of: date, seed: int
) -> dict[str, Any]:
    untouched = [o for o in file.outcomes if o.arm == BASELINE]
    records, _ = compute_query_shares(untouched, file.mode)
    if (undefined := agreement.explain_snippets(records)) is not None:
        return undefined
    if (number := len({v.key for v in records})) < MIN_QUERIES:
        return mark_undefined(f"{format_count(number, 'query', 'queries')}; {MIN_QUERIES} are needed")

    def score(page: PageScore) -> dict[str, float]:
        values = np.array([[page.readings[name].value for name in NAMES]])
        return {name: float((transform(values) @ weights)[0]) for name, (transform, weights) in strategies.items()}

    sample = agreement.build_sample(records, agreement.score_sources(records, as_of, score), COMPARED)
    reading = sample.readings[-1]
    each = {name: agreement.correlate(sample.records, name, reading) for name in COMPARED}
    differences = {f"hybrid - {n}": agreement.subtract(each["hybrid"], each[n]) for n in COMPARED if n != "hybrid"}

    def average(values: Sequence[float | None]) -> dict[str, Any]:
        return Bootstrap(DRAWS, random.Random(f"{seed}|hybrid")).average_queries(sample.queries, values)

    return {
        "reading": reading,
        "answers": len(sample.records),
        "spearman": {name: average(values) for name, values in each.items()},
        "differences": {name: average(values) for name, values in differences.items()},
    }


def make_lines(outcomes: Result) -> list[str]:
    """Return what the hybrid does to the outcome correlation, file by file."""
    if not outcomes:
        return ["hybrid, outcome correlation: undefined, no records of answers were given (--records)"]
    lines = []
    for name, outcome in outcomes.items():
        if "undefined" in outcome:
            continue
        hybrid, released = (outcome["spearman"][n]["mean"] for n in ("hybrid", "released"))
        difference = outcome["differences"]["hybrid - released"]
        lines.append(
            f"{HYBRID} on {name}: {plain(hybrid, 3)} against {plain(released, 3)} released (paper: "
            f"{plain(PAPER['hybrid'], 3)} against {plain(PAPER['released'], 3)}); difference "
            f"{signed(difference['mean'], 3)} ({format_interval(difference['interval'], 3)})"
        )
    without = [name for name, outcome in outcomes.items() if "undefined" in outcome]
    return [*lines, *([f"{HYBRID}: undefined on {', '.join(without)}"] if without else [])]


def make_table_of(outcomes: Result) -> list[Titled]:
    """Return the table of all files with figures, or none."""
    rows = [
        [name, outcome["reading"], label, e["n"], e["mean"], e["interval"], e["p"]]
        for name, outcome in outcomes.items()
        if "undefined" not in outcome
        for label, e in [
            *((n, outcome["spearman"][n]) for n in COMPARED),
            *((f"hybrid − {n}", outcome["differences"][f"hybrid - {n}"]) for n in COMPARED if n != "hybrid"),
        ]
    ]
    if not rows:
        return []
    columns = "records | order | content of | queries > | Spearman +.3 | 95% interval to.3 | p p"
    note = "Mean within-query Spearman of content with citation shares. `sqrt` and `hybrid` are the refits above."
    return [make_table("Outcome correlation of the hybrid", columns, rows, note)]
