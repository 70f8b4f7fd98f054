"""Write tests/golden/scores.json again, and print the line that the changelog needs for what moved.

The file holds every demo page's exact score, freshness and components.
"""

from __future__ import annotations

import sys
from pathlib import Path

from steelyard.lab.study import drift
from steelyard.support.artifacts import write_artifact

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden" / "scores.json"
RELEASES = ROOT / "docs" / "releases"


def main() -> int:
    pages = drift.demo_pages()
    write_artifact(GOLDEN, drift.freeze_scores(pages))
    print(f"wrote {GOLDEN.relative_to(ROOT)}")
    summary = drift.compare(drift.read_release(RELEASES), pages).summary()
    print(f"under Numbers in CHANGELOG.md: {summary}: WHY" if summary else "no score moved since the last release")
    return 0


if __name__ == "__main__":
    sys.exit(main())
