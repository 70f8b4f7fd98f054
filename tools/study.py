"""The whole study on the measuring pages and records, as it is committed in docs/study/.

python -m tools.study               reads $STEELYARD_DATA or ../shared/data, writes docs/study/ (six minutes or more)
python -m tools.study --headlines   prints the README's figures from the committed artifacts
python -m tools.study --paper       prints all single figures that the paper has too
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from typing import Any

from steelyard.lab.study.paper_comparison import beside_the_paper, headlines
from tools.distributions import ROOT, data

STUDY = ROOT / "docs" / "study"
WORK = ROOT / ".cache" / "study"
# Of what `reproduce` writes: the HTML holds the same once more, and the SVGs are in it.
KEPT = ("study.json", "report.md", "addresses.csv", "artifacts/*.json", "images/*.png")


def measure() -> None:
    command = ["reproduce", "--corpus", os.path.relpath(data(), ROOT), "--embedder", "wordllama", "--out", str(WORK)]
    subprocess.run([sys.executable, "-m", "steelyard", *command], cwd=ROOT, check=True)
    shutil.rmtree(STUDY, ignore_errors=True)
    for path in (path for pattern in KEPT for path in sorted(WORK.glob(pattern))):
        target = STUDY / path.relative_to(WORK)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def result_of(stage: str) -> Any:
    path = STUDY / "artifacts" / f"{stage}.json"
    return json.loads(path.read_text("utf-8"))["result"] if path.is_file() else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headlines", action="store_true", help="print the figures of the README")
    parser.add_argument("--paper", action="store_true", help="print every single figure beside the paper's")
    arguments = parser.parse_args()
    if arguments.headlines:
        print(headlines(result_of).to_markdown(), end="")
    elif arguments.paper:
        print(beside_the_paper(result_of).to_markdown(), end="")
    else:
        measure()


if __name__ == "__main__":
    main()
