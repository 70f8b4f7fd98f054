"""Our own rows of the comparison: each core in a process of its own, so that memory and start are counted alike."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from benchmarks.pages import ROOT
from benchmarks.rivals import ROUNDS, run_script

VARIABLE = "STEELYARD_CORE"
NATIVE = "Steelyard, native core, score and detectors"
PAPER, OWN = "paper", "2026"
# Title: the core, whether the detectors run too, and the edition.
ROWS = {
    "Steelyard, Python core, score and detectors": ("python", "rows", PAPER),
    "Steelyard, Python core, score alone": ("python", "score", PAPER),
    NATIVE: ("native", "rows", PAPER),
    "Steelyard, native core, score alone": ("native", "score", PAPER),
    "Steelyard 2026, Python core, score and detectors": ("python", "rows", OWN),
    "Steelyard 2026, Python core, score alone": ("python", "score", OWN),
    "Steelyard 2026, native core, score and detectors": ("native", "rows", OWN),
    "Steelyard 2026, native core, score alone": ("native", "score", OWN),
}


def measure_core(title: str, pages: Path) -> dict[str, Any]:
    """Return what `own_rows.py` measures for one of the rows, or {"undefined": why not}."""
    core, what, edition = ROWS[title]
    script = Path(__file__).with_name("own_rows.py")
    variables = {VARIABLE: core, "PYTHONPATH": str(ROOT)}
    return run_script([sys.executable, script, pages, str(ROUNDS), what, edition], variables)
