"""Writes tests/golden/scores.json: every example page's score and components. A change belongs in the CHANGELOG."""

from __future__ import annotations

import json
import sys
from datetime import date
from pathlib import Path

from steelyard.pipeline import score_text

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden" / "scores.json"
AS_OF = date(2026, 7, 1)


def measure() -> dict[str, dict[str, float]]:
    result = {}
    for path in sorted((ROOT / "examples" / "site").rglob("*.md")):
        page = score_text(path.read_text("utf-8"), as_of=AS_OF, evidence=False)
        values = {name: round(r.value, 6) for name, r in page.readings.items()}
        name = path.relative_to(ROOT).as_posix()
        result[name] = {"score": round(page.score, 6), "freshness": round(page.freshness, 6), **values}
    return result


def main() -> int:
    new = measure()
    old = json.loads(GOLDEN.read_text("utf-8")) if GOLDEN.exists() else {}
    moved = [new[n]["score"] - old[n]["score"] for n in new if n in old and new[n] != old[n]]
    GOLDEN.parent.mkdir(parents=True, exist_ok=True)
    GOLDEN.write_text(json.dumps(new, indent=1) + "\n", encoding="utf-8")
    if moved:
        mean = sum(moved) / len(moved)
        print(f"{len(moved)} pages moved, by {min(moved):+.3f} to {max(moved):+.3f}, {mean:+.3f} on average: CHANGELOG")
    print(f"wrote {GOLDEN.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
