"""The paper's claims, one a line: replicated, not replicated, undecided, or not to be tested here.

Verdict, figures and causes are computed from the artifacts. A verdict is never stronger than its interval: where the
interval holds the bound, the claim is undecided; where there is none, the line says that the estimate decided.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from steelyard.lab.protocol.gates.base import FAIL, PASS
from steelyard.lab.study.findings import Titled, make_table
from steelyard.lab.study.paper_comparison import (
    FORM,
    NONE,
    Fields,
    ResultOf,
    explain,
    look_up,
    print_values,
    split_form,
)

REPLICATED, NOT_REPLICATED, UNDECIDED = "replicated", "not replicated", "undecided"
UNTESTED = "cannot be tested here"
VERDICTS = (REPLICATED, NOT_REPLICATED, UNDECIDED, UNTESTED)
BY_ESTIMATE = "none; by the estimate"
DIFFERENCE = "difference"  # before the interval of the second of two figures less the first
NOT_COMPUTED = "not computed on this material"
_NOTE = (
    "Replicated: the whole interval keeps to what the paper claims; undecided: the interval holds its bound. Without "
    "an interval the estimate decides. Intervals resample what n counts; of two figures it is that of the second less "
    "the first, pair by pair. Bounds are the paper's. Other material than "
    "the paper's: a claim that is not replicated here may hold there."
)


@cache
def list_claims() -> Sequence[Fields]:
    """Return the claims with their tests and addresses."""
    text = resources.files("steelyard.lab.study").joinpath("claims.toml").read_text("utf-8")
    claims: Sequence[Fields] = tomllib.loads(text)["claim"]
    return claims


def compare_claims(result_of: ResultOf) -> Titled:
    """Return a table with one line for each claim."""
    rows = [_make_row(claim, result_of) for claim in list_claims()]
    columns = "the paper's claim | verdict | paper > | here > | n | 95% interval | what this study computed about it"
    return make_table("The paper's claims", columns, rows, _NOTE, is_main=True)


def count_verdicts(titled: Titled) -> str:
    """Return how many claims have each verdict, in words."""
    counts = Counter(row[1] for row in titled.table.rows)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])


def _make_row(claim: Fields, result_of: ResultOf) -> list[str]:
    """Return the claim, its verdict, the paper's figure, ours, n, interval, and the computed cause."""
    if reason := claim.get("untestable"):
        return [claim["claim"], UNTESTED, claim["paper"], NONE, "none: nothing to test", NONE, reason]
    form = claim.get("form", FORM)
    addresses = _list(claim["here"])
    values = [look_up(result_of, split_form(address)[0]) for address in addresses]
    if None in values:
        return [claim["claim"], UNTESTED, claim["paper"], NONE, "none: nothing to test", NONE, NOT_COMPUTED]
    interval = look_up(result_of, claim["interval"]) if "interval" in claim else None
    gates = look_up(result_of, claim["gates"]) if "gates" in claim else None
    verdict = judge_gates(gates) if gates else judge_claim(claim["test"], values, interval)
    shown = print_values([claim["interval"]], form, result_of) if interval else claim.get("judged", BY_ESTIMATE)
    if interval and len(values) > 1:
        shown = f"{DIFFERENCE} {shown}"
    counted = ", ".join(f"{print_values([address], 'd', result_of)} {noun}" for address, noun in claim["n"])
    figures = print_values(addresses, form, result_of)
    return [claim["claim"], verdict, claim["paper"], figures, counted, shown, explain(claim, result_of)]


def judge_claim(test: Fields, values: Sequence[Any], interval: Sequence[float] | None) -> str:
    """Return the verdict on one claim.

    Args:
        test: One comparison and its bound.
        values: The figure, or the two figures that are compared with each other.
        interval: The 95% interval of the figure, where it has one; of two figures that of the second less the first.
    """
    (kind, bound), *_ = test.items()
    figure = values[1] - values[0] if kind in ("falls", "rises") else values[0]
    ends = interval or [figure, figure]
    if kind == "equals":
        return _decide(str(values[0]) == str(bound))
    if kind in ("falls", "rises"):
        keeps = [end < 0 if kind == "falls" else end > 0 for end in ends]
        return _decide(keeps[0]) if keeps[0] == keeps[1] else UNDECIDED
    if kind == "covers":
        return _decide(ends[0] <= bound <= ends[1])
    keeps = [end >= bound if kind == "at_least" else end <= bound for end in ends]
    return _decide(keeps[0]) if keeps[0] == keeps[1] else UNDECIDED


def judge_gates(verdicts: Fields) -> str:
    """Return the verdict on a claim that all gates pass: it is not refuted by gates that nothing decides."""
    statuses = {verdict["status"] for verdict in verdicts.values() if isinstance(verdict, dict)}
    return NOT_REPLICATED if FAIL in statuses else REPLICATED if statuses == {PASS} else UNDECIDED


def _decide(holds: bool) -> str:
    return REPLICATED if holds else NOT_REPLICATED


def _list(addresses: Any) -> list[str]:
    return [addresses] if isinstance(addresses, str) else list(addresses)
