"""datatrove's Gopher filters, in their own environment, made here on first use (about 500 MB)."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

from benchmarks.measure import ROUNDS
from benchmarks.pages import ROOT

REQUIREMENT = "datatrove[processing]==0.10.1"
TOKENIZER = "spacy==3.8.*"  # the filters split words with it and do not ask for it
HOME = ROOT / ".cache" / "bench" / "datatrove"


def datatrove_seconds(pages: Path) -> float | str:
    """CPU seconds for GopherQuality + GopherRepetition over the pages, or why there are none."""
    python = HOME / "bin" / "python"
    ready = HOME / "ready"
    if not ready.exists():
        print(f"bench: making an environment for {REQUIREMENT} (once, about 500 MB)", file=sys.stderr)
        venv.create(HOME, with_pip=True, clear=True)
        for arguments in (["--upgrade", "pip"], [REQUIREMENT, TOKENIZER]):
            done = subprocess.run(
                [python, "-m", "pip", "install", "--quiet", *arguments], check=False, capture_output=True, text=True
            )
            if done.returncode:
                return f"{REQUIREMENT} could not be installed: {done.stderr.strip().splitlines()[-1:]}"
        ready.touch()
    script = Path(__file__).with_name("datatrove_filters.py")
    done = subprocess.run([python, script, pages, str(ROUNDS)], check=False, capture_output=True, text=True)
    if done.returncode:
        return f"datatrove did not run: {done.stderr.strip().splitlines()[-1:]}"
    return float(json.loads(done.stdout)["seconds"])
