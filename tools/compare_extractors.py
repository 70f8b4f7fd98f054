"""Measures HTML extractors on the shared pages and prints one Markdown table per question.

Run it in an environment that holds the candidates; those absent are reported "not installed":

    python tools/compare_extractors.py            quality, structure, hidden text, speed, determinism
    python tools/compare_extractors.py --hostile  also the hostile documents, one process each

Pages are read from `$STEELYARD_DATA/html`, else from `../shared/data/html` beside the repository.
The findings are kept in docs/decisions/html-extractor.md.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import importlib.util
import json
import logging
import math
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SHINGLE = 5
HOSTILE_SECONDS = 60
REPEATS = 3
AS_OF = "2026-07-01"


@dataclass(frozen=True)
class Page:
    """One shared page: its decoded HTML, language and reference word count."""

    html: str
    lang: str
    words: int


@dataclass(frozen=True)
class Candidate:
    """One extractor. `votes` makes it its family's voice in the consensus of main contents."""

    name: str
    family: str
    modules: tuple[str, ...]
    run: Callable[[str, str], str]
    votes: bool = False

    def installed(self) -> bool:
        try:
            return all(importlib.util.find_spec(module) is not None for module in self.modules)
        except ModuleNotFoundError:  # the parent package of a dotted name is absent
            return False


def _module(name: str) -> Any:
    return importlib.import_module(name)


def _shipped(html: str, lang: str) -> str:
    return str(_module("steelyard.text.html").extract(html).markdown)


def _trafilatura(**options: bool) -> Callable[[str, str], str]:
    def run(html: str, lang: str) -> str:
        found = _module("trafilatura").extract(
            html,
            output_format="markdown",
            include_links=True,
            include_comments=False,
            date_extraction_params={"max_date": "2000-01-01"},
            **options,
        )
        return found or ""

    return run


def _markdownify(html: str, lang: str) -> str:
    return str(_module("markdownify").markdownify(html, heading_style="ATX"))


def _readability(html: str, lang: str) -> str:
    return _markdownify(_module("readability").Document(html).summary(html_partial=True), lang)


def _resiliparse(html: str, lang: str) -> str:
    module = _module("resiliparse.extract.html2text")
    return str(module.extract_plain_text(html, main_content=True, comments=False, alt_texts=False))


def _resiliparse_markdown(html: str, lang: str) -> str:
    module = _module("resiliparse.extract.html2text")
    options = {"main_content": True, "comments": False, "alt_texts": False, "links": True}
    return _markdownify(module.extract_plain_text(html, preserve_formatting="minimal_html", **options), lang)


def _turbohtml(html: str, lang: str) -> str:
    body = _module("turbohtml").parse(html).main_content()
    return "" if body is None else str(body.to_markdown())


def _html2text(html: str, lang: str) -> str:
    converter = _module("html2text").HTML2Text()
    converter.body_width = 0
    return str(converter.handle(html))


def _html_to_markdown(html: str, lang: str) -> str:
    found = _module("html_to_markdown").convert(html)
    return str(getattr(found, "content", found) or "")


def _justext(html: str, lang: str) -> str:
    module = _module("justext")
    stop_list = module.get_stoplist("French" if lang == "fr" else "English")
    return "\n\n".join(part.text for part in module.justext(html, stop_list) if not part.is_boilerplate)


def _boilerpy3(html: str, lang: str) -> str:
    return str(_module("boilerpy3.extractors").ArticleExtractor(raise_on_failure=False).get_content(html))


CANDIDATES = (
    Candidate("steelyard (shipped)", "trafilatura", ("steelyard.text.html", "trafilatura"), _shipped),
    Candidate("trafilatura", "trafilatura", ("trafilatura",), _trafilatura(), votes=True),
    Candidate("trafilatura, fast", "trafilatura", ("trafilatura",), _trafilatura(fast=True)),
    Candidate("trafilatura, precision", "trafilatura", ("trafilatura",), _trafilatura(favor_precision=True)),
    Candidate("trafilatura, recall", "trafilatura", ("trafilatura",), _trafilatura(favor_recall=True)),
    Candidate("readability + markdownify", "readability", ("readability", "markdownify"), _readability, votes=True),
    Candidate("turbohtml", "turbohtml", ("turbohtml",), _turbohtml, votes=True),
    Candidate("resiliparse (plain text)", "resiliparse", ("resiliparse",), _resiliparse, votes=True),
    Candidate("resiliparse + markdownify", "resiliparse", ("resiliparse", "markdownify"), _resiliparse_markdown),
    Candidate("jusText (plain text)", "justext", ("justext",), _justext, votes=True),
    Candidate("boilerpy3 (plain text)", "boilerpipe", ("boilerpy3",), _boilerpy3, votes=True),
    Candidate("html2text (whole page)", "floor", ("html2text",), _html2text),
    Candidate("markdownify (whole page)", "floor", ("markdownify",), _markdownify),
    Candidate("html-to-markdown (whole page)", "floor", ("html_to_markdown",), _html_to_markdown),
)

STRUCTURE = (
    "<!doctype html><html lang=en><head><title>Rope care</title></head><body><nav><ul>"
    + "".join(f"<li><a href=/m{i}>Menu {i}</a></li>" for i in range(6))
    + "</ul></nav><main><article><h1>How rope is cared for</h1>"
    + "".join(
        f"<h2>Section {i} of the guide</h2><p>Rope number {i} is washed in cold water and dried in the shade, "
        f'because heat weakens the fibres, as <a href="https://example.org/study-{i}">study {i}</a> showed '
        "with forty samples over two years. Nobody has since repeated the trial at sea.</p>"
        for i in range(4)
    )
    + "<ul>"
    + "".join(f"<li>Item {i}: inspect the whole length by hand before use</li>" for i in range(5))
    + "</ul><table><tr><th>Fibre</th><th>Load</th></tr>"
    + "".join(f"<tr><td>Fibre {i}</td><td>{i}00 kg</td></tr>" for i in range(3))
    + "</table></article></main><footer><p>Imprint and cookies</p></footer></body></html>"
)

HIDING = {
    "display:none": '<p style="display:none">{}</p>',
    "DISPLAY : NONE": '<p style="color:red; DISPLAY : NONE !important">{}</p>',
    "visibility:hidden": '<p style="visibility:hidden">{}</p>',
    "hidden": "<p hidden>{}</p>",
    "aria-hidden": '<p aria-hidden="true">{}</p>',
    "template": "<template><p>{}</p></template>",
    "noscript": "<noscript><p>{}</p></noscript>",
    "comment": "<!-- {} -->",
    "script": "<script>{}</script>",
    "style": "<style>{}</style>",
    "inline span": 'The kept words <span style="display: none">{}</span> continue after the span here.',
}

HOSTILE: dict[str, Callable[[], str]] = {
    "50,000 nested div": lambda: "<html><body>" + "<div>" * 50_000 + "deep words here" + "</div>" * 50_000,
    "50,000 nested b in p": lambda: "<html><body><p>" + "<b>" * 50_000 + "deep words here",
    "5,000 nested ul": lambda: "<html><body>" + "<ul><li>x" * 5_000,
    "unclosed tags": lambda: "<html><body>" + "<p>word <b>bold <i>it" * 20_000,
    "1 MB of <": lambda: "<" * 1_000_000,
    "NUL bytes": lambda: "<html><body><p>" + "a\0b " * 50_000 + "</p></body></html>",
    "binary garbage": lambda: bytes((i * 7919 + i // 251) % 256 for i in range(500_000)).decode("latin-1"),
    "1 MB attribute": lambda: f'<html><body><p title="{"x" * 1_000_000}">short text of the page</p>',
    "invalid UTF-8": lambda: (b"<html><body><p>caf\xe9 \xff\xfe words " * 5_000).decode("utf-8", "surrogateescape"),
    "entity bomb": lambda: (
        '<!DOCTYPE html [<!ENTITY a "lol">'
        + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
        + "]><html><body><p>&j;</p></body></html>"
    ),
    "1 MB of &": lambda: "<html><body><p>" + "&" * 1_000_000,
    "100,000 links": lambda: "<html><body>" + "<p>text <a href=https://a.example/>link</a></p>" * 100_000,
    "20,000 list items": lambda: "<html><body><ol>" + "<li>item of words</li>" * 20_000,
    "600 kB of \\(": lambda: "<html><body><p>" + "\\(" * 300_000,
    "10,000 lists": lambda: "<html><body><p>Words.</p><div>" + "<ul><li>a b</li></ul>" * 10_000,
    "20,000-cell table": lambda: "<html><body><table><tr>" + "<td>cell words</td>" * 20_000,
}


def pages() -> list[Page]:
    """The shared pages, in manifest order."""
    folder = Path(os.environ.get("STEELYARD_DATA") or ROOT.parent / "shared" / "data") / "html"
    if not (folder / "manifest.json").is_file():
        sys.exit(f"no manifest.json in {folder}; set STEELYARD_DATA to the folder that holds html/")
    rows = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    texts = [(folder / row["file"]).read_bytes().decode("utf-8", "replace") for row in rows]
    return [Page(text, row["lang"], row["words_reference"]) for text, row in zip(texts, rows, strict=True)]


def plain_words(markdown: str) -> list[str]:
    """The words of a Markdown text without link targets, images, bullets, rules and table bars."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", markdown)
    text = re.sub(r"\]\([^)]*\)", "] ", text)
    return [word for word in text.replace("|", " ").split() if re.search(r"\w", word)]


def shingles(markdown: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", " ".join(plain_words(markdown)).lower().replace("_", " "))
    return {tuple(words[i : i + SHINGLE]) for i in range(len(words) - SHINGLE + 1)}


def structure(markdown: str) -> tuple[int, int, int, int]:
    """Headings, https links, list items and table rows of a Markdown text."""
    patterns = (r"^#{1,6} ", r"(?<!!)\[[^\]]+\]\(<?https?://", r"^\s*(?:[-*+]|\d+\.) ", r"^\s*\|.*\w.*\|")
    return tuple(len(re.findall(pattern, markdown, re.M)) for pattern in patterns)  # type: ignore[return-value]


def consensus_f1(outputs: dict[str, list[set[tuple[str, ...]]]], candidate: Candidate, mine: list[str]) -> list[float]:
    """Per page, F1 of 5-word shingles against those that at least half of the *other* families kept."""
    others = [outputs[c.name] for c in CANDIDATES if c.votes and c.name in outputs and c.family != candidate.family]
    if len(others) < 3:
        return [math.nan]  # two voices are no consensus
    scores = []
    for index, text in enumerate(mine):
        votes = Counter(shingle for other in others for shingle in other[index])
        agreed = {shingle for shingle, count in votes.items() if 2 * count >= len(others)}
        own = shingles(text)
        scores.append(2 * len(own & agreed) / max(1, len(own) + len(agreed)))
    return scores


def digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


def in_new_process(*arguments: str, limit: int = HOSTILE_SECONDS) -> tuple[str, float]:
    """The last line that this script prints under `arguments`, or how it died, and its processor seconds."""
    command = [sys.executable, "-W", "ignore", __file__, *arguments]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
        if done.returncode < 0:
            outcome = f"killed by signal {-done.returncode}"
        elif done.returncode:
            outcome = done.stderr.strip().splitlines()[-1].split(":")[0].split(".")[-1]
        else:
            outcome = done.stdout.strip().splitlines()[-1]
    except subprocess.TimeoutExpired:
        outcome = f"over {limit} s"
    return outcome, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def print_table(header: str, rows: Iterable[tuple[object, ...]]) -> None:
    print("\n| " + header.replace(",", " |") + " |\n|" + "---|" * (header.count(",") + 1))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")


def measure(candidate: Candidate, corpus: list[Page], repeats: int = REPEATS) -> tuple[list[str], list[float]]:
    """Every page's output, "" after an exception, and its best processor time in ms."""
    texts, times = [], []
    for page in corpus:
        best = math.inf
        text = ""
        for _ in range(repeats):
            start = time.process_time()
            with contextlib.suppress(Exception):  # any library error is the finding here: an empty text
                text = candidate.run(page.html, page.lang)
            best = min(best, time.process_time() - start)
        texts.append(text)
        times.append(1000 * best)
    return texts, times


def probe(candidate: Candidate) -> tuple[str, str]:
    """Structure kept on a page with known structure, and the kinds of hidden text that leaked."""
    head, tail = STRUCTURE.split("<ul><li>Item", 1)
    marks = {kind: f"secretword{index}zz" for index, kind in enumerate(HIDING)}
    hidden = "".join(form.format(f"{marks[kind]} is hidden from every reader") for kind, form in HIDING.items())
    kept = "/".join(str(n) for n in structure(candidate.run(STRUCTURE, "en")))
    text = candidate.run(f"{head}{hidden}<ul><li>Item{tail}", "en")
    return kept, ", ".join(kind for kind, mark in marks.items() if mark in text) or "none"


def quality_row(candidate: Candidate, texts: list[str], corpus: list[Page]) -> tuple[object, ...]:
    ratios = [len(plain_words(text)) / page.words for text, page in zip(texts, corpus, strict=True)]
    logs = [abs(math.log(ratio)) if ratio else math.inf for ratio in ratios]
    again, _ = in_new_process("--digest", candidate.name, limit=600)
    return (
        candidate.name,
        f"{statistics.median(logs):.3f}",
        f"{sum(0.8 <= ratio <= 1.2 for ratio in ratios)}/{len(ratios)}",
        sum(ratio < 0.1 for ratio in ratios),
        "yes" if again == digest(texts) else "NO",
    )


def score_moves(texts: list[str], shipped: list[str], corpus: list[Page]) -> str:
    """How far the score moves from that on the shipped extraction: median, 90th percentile and maximum."""
    if not all(importlib.util.find_spec(name) for name in ("steelyard", "re2", "wordfreq")):
        return "scorer not installed"
    score = _module("steelyard").score
    moves = sorted(
        abs(score(text, language=page.lang, as_of=AS_OF).score - score(other, language=page.lang, as_of=AS_OF).score)
        for text, other, page in zip(texts, shipped, corpus, strict=True)
    )
    return f"{statistics.median(moves):.1f} / {moves[9 * len(moves) // 10]:.1f} / {moves[-1]:.1f}"


def compare(corpus: list[Page]) -> None:
    """Print quality and speed, then structure, then hidden text."""
    present = [candidate for candidate in CANDIDATES if candidate.installed()]
    measured = {candidate.name: measure(candidate, corpus) for candidate in present}
    voices = {c.name: [shingles(text) for text in measured[c.name][0]] for c in present if c.votes}
    base = statistics.median(measured[present[0].name][1])
    quality: list[tuple[object, ...]] = []
    kept: list[tuple[object, ...]] = []
    for candidate in CANDIDATES:
        if candidate not in present:
            quality.append((candidate.name, "not installed", *[""] * 7))
            continue
        texts, times = measured[candidate.name]
        agreement = consensus_f1(voices, candidate, texts)
        means = (f"{statistics.median(agreement):.3f}", f"{statistics.mean(agreement):.3f}")
        speed = (f"{statistics.median(times):.1f}", f"{statistics.median(times) / base:.2f}")
        quality.append((*quality_row(candidate, texts, corpus), *means, *speed))
        totals = [sum(column) for column in zip(*map(structure, texts), strict=True)]
        found, leaks = probe(candidate)
        moves = score_moves(texts, measured[present[0].name][0], corpus)
        kept.append((candidate.name, found, *totals, moves, leaks))
    header = "extractor, abs log ratio, within 20%, under a tenth, deterministic, F1 median, F1 mean, ms, x"
    print_table(header, quality)
    header = (
        "extractor, probe (5/4/5/4), headings, https links, list items, table rows, score moves, hidden text leaked"
    )
    print_table(header, kept)


def attack() -> None:
    """Every installed writer of Markdown on every hostile document, each in its own process."""
    rows: list[tuple[object, ...]] = []
    for candidate in CANDIDATES:
        if not candidate.installed() or candidate.name.endswith("(plain text)"):
            continue
        idle = min(in_new_process("--case", candidate.name, "nothing")[1] for _ in range(3))
        outcomes = {case: in_new_process("--case", candidate.name, case) for case in HOSTILE}
        bad = [f"{case}: {outcome}" for case, (outcome, _) in outcomes.items() if not outcome.endswith(" words")]
        slowest = max(outcomes, key=lambda case: outcomes[case][1])
        seconds = max(0.0, outcomes[slowest][1] - idle)
        rows.append((candidate.name, "; ".join(bad) or "none", f"{slowest}, {seconds:.1f} s"))
    print_table("extractor, refused or crashed or hung, slowest", rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hostile", action="store_true", help="also run the hostile documents")
    parser.add_argument("--digest", metavar="NAME", help=argparse.SUPPRESS)
    parser.add_argument("--case", nargs=2, metavar=("NAME", "CASE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)  # candidates log a line per odd page
    by_name = {candidate.name: candidate for candidate in CANDIDATES}
    if options.digest:
        print(digest(measure(by_name[options.digest], pages(), repeats=1)[0]))
    elif options.case:
        name, case = options.case
        html = HOSTILE[case]() if case in HOSTILE else "<html><body><p>Hello.</p></body></html>"
        print(f"{len(plain_words(by_name[name].run(html, 'en')))} words")
    else:
        compare(pages())
        if options.hostile:
            attack()


if __name__ == "__main__":
    main()
