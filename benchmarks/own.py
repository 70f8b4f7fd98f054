"""Our own rows of the comparison: each core in a process of its own, so that memory and start are counted alike."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from benchmarks.pages import ROOT
from benchmarks.rivals import ROUNDS, run_script

VARIABLE = "STEELYARD_CORE"
NATIVE = "Steelyard, native core, score and detectors"
# Title: the core, and whether the detectors run too.
ROWS = {
    "Steelyard, Python core, score and detectors": ("python", "rows"),
    "Steelyard, Python core, score alone": ("python", "score"),
    NATIVE: ("native", "rows"),
    "Steelyard, native core, score alone": ("native", "score"),
}


def measure_core(title: str, pages: Path) -> dict[str, Any]:
    """Return what `own_rows.py` measures for one of the rows, or {"undefined": why not}."""
    core, what = ROWS[title]
    script = Path(__file__).with_name("own_rows.py")
    variables = {VARIABLE: core, "PYTHONPATH": str(ROOT)}
    return run_script([sys.executable, script, pages, str(ROUNDS), what], variables)
