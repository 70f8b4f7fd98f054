"""Hostile pages among good ones: every good page is scored, in order, byte for byte as without them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contract.shared import run_process
from tests.hostile.pages import SENTENCE

pytest.importorskip("trafilatura", reason="HTML needs the extra `html`")

SECONDS = 1_200.0  # against hangs
EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples" / "html").glob("*.html"))


def attributes(count: int, between: str, value: str = "") -> str:
    return between.join(f"a{n}{value}" for n in range(count))


# Each stopped the extractor for seconds, or the parser.
HOSTILE: tuple[Callable[[], str], ...] = (
    lambda: f"<p {attributes(80_000, ' ')}>{SENTENCE}</p>",
    lambda: f"<p {attributes(80_000, '/')}>{SENTENCE}</p>",
    lambda: f"<p {attributes(80_000, '', '=' + chr(34) * 2)}>{SENTENCE}</p>",
    lambda: f'<p x=">" {attributes(80_000, " ")}>{SENTENCE}</p>',
    lambda: f"<p {attributes(14_000, '/')}>{SENTENCE}</p>" * 4,
    lambda: "<table>" + "<tr><td colspan=999>a</td></tr>" * 14_000,
    lambda: "<table>" + "<tr><td rowspan=999>a</td></tr>" * 14_000,
    lambda: "<table><tr><td colspan=999>a</td></tr>" + "<tr><td>a</td></tr>" * 14_000,
    lambda: "<p>" + "<span>a</span> " * 31_000,
    lambda: "<div>" * 200 + SENTENCE * 1_000,
    lambda: "<p>" + "*" * 1_100_000,
)


def good_page(number: int) -> str:
    """An example page with a paragraph of its own."""
    page = EXAMPLES[number % len(EXAMPLES)].read_text("utf-8")
    return page.replace("</p>", f"</p><p>Note {number}: the keeper wrote {number * 7} lines in 1871.</p>", 1)


def write_pages(folder: Path, good: int, hostile: int) -> tuple[Path, Path]:
    """Write the good pages into one folder, and the same with hostile ones between them into another."""
    alone, crowd = folder / "alone", folder / "crowd"
    alone.mkdir()
    crowd.mkdir()
    for number in range(good):
        for place in (alone, crowd):
            (place / f"{number:04}-good.html").write_text(good_page(number), "utf-8")
    rng = random.Random(19)
    for kind, number in enumerate(sorted(rng.sample(range(good), hostile))):
        body = HOSTILE[kind % len(HOSTILE)]()
        (crowd / f"{number:04}-hostile.html").write_text(f"<html><body>{body}</body></html>", "utf-8")
    return alone, crowd


def score_lines(folder: Path, jobs: int) -> list[bytes]:
    """The lines of the results, without the folder's name."""
    done = run_process(
        "score", str(folder), "--format", "jsonl", "--jobs", str(jobs), "--as-of", "2026-07-01", seconds=SECONDS
    )
    return done.stdout.replace(f"{folder}/".encode(), b"").splitlines()


@pytest.mark.parametrize(("good", "hostile"), [(24, 11), pytest.param(1_000, 100, marks=pytest.mark.full)])
def test_good_pages_do_not_notice_hostile_ones(good: int, hostile: int, tmp_path: Path) -> None:
    alone, crowd = (
        score_lines(folder, jobs) for folder, jobs in zip(write_pages(tmp_path, good, hostile), (1, 2), strict=True)
    )
    refused = [json.loads(line) for line in crowd if b"-hostile.html" in line]
    assert len(refused) == hostile
    assert all("the HTML could not be read: it has " in line["error"] for line in refused)
    assert [line for line in crowd if b"-hostile.html" not in line] == alone
    assert sum(b"-good.html" in line for line in alone) == good
