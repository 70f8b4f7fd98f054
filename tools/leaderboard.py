"""Writes examples/leaderboard.csv, a SYNTHETIC leaderboard snapshot: invented domains, invented scores, one fixed seed.

What it assumes, in place of the production leaderboard that nobody has released:

- 400 domains; the number of pages is lognormal (median 4, log-sd 1.35), from 1 to 120: many small, a few large.
- A page's score is its domain's quality plus its own spread, both normal: quality 75 with sd 4.5, spread sd 5.75,
  clipped to 5..95, two decimals. Together sd 7.3. The anchor is the shipped score of 300 real English pages
  (web_en.jsonl, structured, titled, as of 2026-07-01): mean 75.3, sd 7.3. How that variance divides between domains
  and pages is an assumption (38% between), and so is that large domains are no better than small ones.

The file is frozen: a test pins its SHA-256. Names stand under .example, which no real site can have.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from pathlib import Path

from steelyard.components.arithmetic.numbers import clamp
from steelyard.support.artifacts import hash_file, write_text

ROOT = Path(__file__).resolve().parent.parent
SNAPSHOT = ROOT / "examples" / "leaderboard.csv"
SEED = "steelyard synthetic leaderboard 1"


@dataclass(frozen=True, slots=True)
class Assumptions:
    """The numbers of the docstring."""

    domains: int = 400
    median_pages: float = 4.0
    log_sd_pages: float = 1.35
    most_pages: int = 120
    quality: float = 75.0
    sd_between: float = 4.5
    sd_within: float = 5.75


def made(given: Assumptions = Assumptions(), seed: str = SEED) -> str:  # noqa: B008 (frozen)
    """The CSV text: one page a row, domains in the order of their names."""
    rng = random.Random(seed)
    lines = ["domain,score"]
    for number in range(1, given.domains + 1):
        drawn = round(given.median_pages * rng.lognormvariate(0.0, given.log_sd_pages))
        quality = rng.gauss(given.quality, given.sd_between)
        for _ in range(int(clamp(drawn, 1, given.most_pages))):
            score = clamp(rng.gauss(quality, given.sd_within), 5.0, 95.0)
            lines.append(f"synthetic-{number:04d}.example,{score:.2f}")
    return "\n".join(lines) + "\n"


def main() -> int:
    text = made()
    write_text(SNAPSHOT, text)
    print(f"wrote {SNAPSHOT.relative_to(ROOT)}: {text.count(chr(10)) - 1} pages, sha256 {hash_file(SNAPSHOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
