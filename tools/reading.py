"""Measure whether Steelyard knows what it misread: docs/study/checks/reading.json.

    python -m tools.reading FOLDER       the folder with html_truth/, whose articles people typed off, and html/

A reading is bad with F1 under 0.7 on four-word shingles, and good over 0.9. From pages that are read well, bad readings
are made by `tools.reading_failures`; those that still mislead nobody are counted apart. Pages are split by a hash of
their name: thresholds were set looking at the half called "seen" only. Times are processor times of one run.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from steelyard.support.artifacts import hash_file, make_envelope, write_artifact
from steelyard.text.decoding import decode
from steelyard.text.html import DEFAULT_LIMITS, extraction, limits
from steelyard.text.html.extraction import HtmlContent
from tools.reading_failures import MAKERS, make_failure
from tools.reading_measures import compare

OUTPUT = Path(__file__).parent.parent / "docs" / "study" / "checks" / "reading.json"
BAD, GOOD = 0.7, 0.9
MIN_PARAGRAPH = 15  # words
KNOWN = {  # the five pages of html/ that were read badly when this was begun
    "ext.theperspective.com.items", "jis.gov.jm-investment", "security.googleblog.com.protection",
    "arteradio.com-nuls", "thebalance.com.coinbase",
}  # fmt: skip
ROUNDS = 3


class Measured(NamedTuple):
    """A page or a damaged copy: how well it was read, and what the product says about that."""

    half: str
    f1: float
    confidence: str


def read(source: str) -> HtmlContent:
    """Return what the product reads of a page, in this process."""
    return extraction.extract_here(limits.admit(source, DEFAULT_LIMITS))


def name_half(key: str) -> str:
    """Return the half of a page: "seen" while the thresholds were set, or "apart"."""
    return "apart" if int(hashlib.sha256(key.encode()).hexdigest(), 16) % 2 == 0 else "seen"


def load_truth(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the key, the source and the article of each page."""
    truth = json.loads((folder / "html_truth" / "truth.json").read_text())
    for name, entry in truth.items():
        data = gzip.decompress((folder / "html_truth" / "html" / f"{name}.html.gz").read_bytes())
        yield f"html_truth:{name}", decode(data, name), entry["text"]


def measure_truth(pages: list[tuple[str, str, str]]) -> tuple[list[Measured], dict[str, list[Measured]]]:
    """Return the pages as they are, and the damaged copies of those that are read well, by damage."""
    whole: list[Measured] = []
    damaged: dict[str, list[Measured]] = {name: [] for name in MAKERS}
    for key, source, article in pages:
        half = name_half(key)
        content = read(source)
        f1 = compare(content.markdown, article).f1
        whole.append(Measured(half, f1, content.reading.confidence))
        if f1 <= GOOD:
            continue
        others = [
            line
            for other, _, text in pages
            if other != key and name_half(other) == half
            for line in text.split("\n")
            if len(line.split()) >= MIN_PARAGRAPH
        ]
        for name, measured in damaged.items():
            failure = make_failure(source, article, others, name, random.Random(key + name))
            if failure is not None:
                content = read(failure)
                measured.append(Measured(half, compare(content.markdown, article).f1, content.reading.confidence))
    return whole, damaged


def measure_known(folder: Path) -> dict[str, dict[str, Any]]:
    """Return what is said about the pages of html/, by half, the five known bad ones apart."""
    result: dict[str, Any] = {"known_bad": Counter(), "others": {"seen": Counter(), "apart": Counter()}}
    for entry in json.loads((folder / "html" / "manifest.json").read_text()):
        name = entry["file"].removesuffix(".html")
        content = read(decode((folder / "html" / entry["file"]).read_bytes(), name))
        place = result["known_bad"] if name in KNOWN else result["others"][name_half(f"html:{name}")]
        place[content.reading.confidence] += 1
    return result


def count(measured: list[Measured]) -> dict[str, Any]:
    """Return, for bad, middling and good readings, how many there are and how many are doubtful or failed."""
    kinds = {"bad": [m for m in measured if m.f1 < BAD], "good": [m for m in measured if m.f1 > GOOD]}
    return {
        kind: {
            "pages": len(found),
            "noticed": sum(m.confidence != "good" for m in found),
            "doubtful": sum(m.confidence == "doubtful" for m in found),
            "failed": sum(m.confidence == "failed" for m in found),
        }
        for kind, found in kinds.items()
    }


def split(measured: list[Measured]) -> dict[str, Any]:
    """Return the counts of both halves."""
    return {half: count([m for m in measured if m.half == half]) for half in ("seen", "apart")}


def measure_time(sources: list[str]) -> float:
    """Return the median over rounds of the time of reading with confidence and dates over that of extraction alone."""
    import trafilatura

    from steelyard.text.html.child import spare_collector
    from steelyard.text.html.metadata import read_titles, read_url
    from steelyard.text.html.tree import drop_hidden, mark_hidden, parse

    def extract_alone(source: str) -> None:
        tree = parse(limits.admit(source, DEFAULT_LIMITS), DEFAULT_LIMITS)
        if tree is not None:
            read_titles(tree), read_url(tree)
            mark_hidden(tree)
            drop_hidden(tree)
            extraction._extract_markdown(trafilatura, tree, DEFAULT_LIMITS)

    def time_all(function: Any) -> float:
        begun = time.process_time()
        for source in sources:
            function(source)
        return time.process_time() - begun

    spare_collector()  # as in the process that reads pages
    time_all(read)
    ratios = sorted(time_all(read) / time_all(extract_alone) for _ in range(ROUNDS))
    return ratios[ROUNDS // 2]


def main() -> int:
    """Run the command."""
    folder = Path(sys.argv[1])
    pages = list(load_truth(folder))
    whole, damaged = measure_truth(pages)
    html = [decode(file.read_bytes(), file.name) for file in sorted((folder / "html").glob("*.html"))]
    result = {
        "pages": split(whole),
        "html": measure_known(folder),
        "made": split([m for found in damaged.values() for m in found]),
        "made_by_kind": {name: split(found) for name, found in damaged.items()},
        "time_ratio": round(measure_time(html), 2),
    }
    inputs = {f"{place}": hash_file(folder / place) for place in ("html_truth/truth.json", "html/manifest.json")}
    parameters = {"bad": BAD, "good": GOOD, "rounds": ROUNDS}
    write_artifact(OUTPUT, make_envelope("reading", inputs=inputs, parameters=parameters, result=result))
    print(json.dumps(result, indent=1, sort_keys=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
