"""What others run on a crawl, over the same pages: each in its own environment, made on first use (300 to 900 MB).

The pins are installed without looking for further dependencies; those of packages that the laboratory's peers use,
too, are theirs. Without wget, which data-juicer imports to download models; `rival_scripts/wget.py` is empty and stands
in for it.
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
from steelyard.lab.scorers.peers import ADAPTERS
from steelyard.lab.scorers.peers.environments import prepare_environment
from steelyard.support.cache import VARIABLE

HERE = Path(__file__).parent
DATATROVE, DATA_JUICER = (ADAPTERS / f"{name}_filters.txt" for name in ("datatrove", "data_juicer"))
DOLMA = HERE / "locks" / "dolma.txt"
ROUNDS = 5
GOPHER = "datatrove: Gopher quality and repetition"


@dataclass(frozen=True, slots=True)
class Rival:
    """Filters of another project: the lock of their environment, the script that runs them, and its arguments."""

    title: str
    lock: Path
    script: str
    arguments: tuple[str, ...] = ()


RIVALS = (
    Rival(GOPHER, DATATROVE, "datatrove_filters", ("gopher",)),
    Rival("datatrove: Gopher, C4 and FineWeb quality (four filters)", DATATROVE, "datatrove_filters", ("english",)),
    Rival("dolma: Gopher tagger", DOLMA, "dolma_tagger"),
    Rival("data-juicer: eight text filters", DATA_JUICER, "data_juicer_filters"),
)


def measure_rival(rival: Rival, pages: Path) -> dict[str, Any]:
    """Return the CPU seconds, pages, pages kept and peak megabytes of a rival, or {"undefined": why not}."""
    os.environ.setdefault(VARIABLE, str(ROOT / ".cache"))
    try:
        python = prepare_environment(rival.lock.stem, rival.lock.read_text("utf-8"))
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
