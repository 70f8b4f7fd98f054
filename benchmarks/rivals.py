"""What others run on a crawl, over the same pages: each in its own environment, made on first use (300 to 900 MB).

The pins in `locks/` are installed without looking for further dependencies. data-juicer's are cut to what its eight
filters import: without its web interface, with a later emoji than it asks for (no wheel of that one exists), and
without wget, which it imports to download models; `rival_scripts/wget.py` is empty and stands in for it.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.pages import ROOT
from steelyard.errors import SteelyardError
from steelyard.lab.scorers.peers.environments import prepare_environment
from steelyard.support.cache import VARIABLE

HERE = Path(__file__).parent
ROUNDS = 5
GOPHER = "datatrove: Gopher quality and repetition"


@dataclass(frozen=True, slots=True)
class Rival:
    """Filters of another project: the lock of their environment, the script that runs them, and its arguments."""

    title: str
    lock: str
    script: str
    arguments: tuple[str, ...] = ()


RIVALS = (
    Rival(GOPHER, "datatrove", "datatrove_filters", ("gopher",)),
    Rival("datatrove: Gopher, C4 and FineWeb quality (four filters)", "datatrove", "datatrove_filters", ("english",)),
    Rival("dolma: Gopher tagger", "dolma", "dolma_tagger"),
    Rival("data-juicer: eight text filters", "data_juicer", "data_juicer_filters"),
)


def measure_rival(rival: Rival, pages: Path) -> dict[str, Any]:
    """Return the CPU seconds, pages, pages kept and peak megabytes of a rival, or {"undefined": why not}."""
    os.environ.setdefault(VARIABLE, str(ROOT / ".cache"))
    try:
        lock = (HERE / "locks" / f"{rival.lock}.txt").read_text("utf-8")
        python = prepare_environment(f"bench-{rival.lock}", lock)
    except SteelyardError as error:
        return {"undefined": str(error)}
    script = HERE / "rival_scripts" / f"{rival.script}.py"
    return run_script([python, script, pages, str(ROUNDS), *rival.arguments], {})


def run_script(command: list[str | Path], variables: dict[str, str]) -> dict[str, Any]:
    """Return what a script prints last, as JSON, or {"undefined": why not}."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    # One core: numerical libraries must not start threads of their own.
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, env={**environment, **one_thread, **variables}
    )
    lines = (done.stderr if done.returncode else done.stdout).strip().splitlines()[-1:]
    if done.returncode or not lines:
        return {"undefined": f"it did not run: {''.join(lines)}"}
    found: dict[str, Any] = json.loads(lines[0])
    return found
