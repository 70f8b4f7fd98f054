"""Compare the playground with the command line in a real browser without a network, and measure how long it takes.

    python -m tools.playground_check DATA [--only same|time]    writes docs/study/checks/playground.json

DATA is the folder with web_en.jsonl, web_fr.jsonl, web_de.jsonl and web_es.jsonl. Pages of each are scored in every
edition, and the JSON that the page offers for download is compared with that of `steelyard score`.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

from steelyard.scoring import editions
from tools.playground import CACHE, ROOT, build

AS_OF = "2026-07-01"
PAGES = {"en": 20, "fr": 10, "de": 10, "es": 10}
STARTS = 3  # of the browser in each edition, for the time to the first score
TIMED = 10  # files that are scored again for the time of later scores
RESULT = ROOT / "docs" / "study" / "checks" / "playground.json"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SHOWN = "#result [data-status], #result .error"


class Playground:
    """A playground in a browser: pages are opened in it as files, and their JSON is downloaded."""

    def __init__(self, page: Any) -> None:
        self._page = page

    def open(self, file: Path, edition: str) -> float:
        """Show the result of a file, and return the seconds from the change of the form to it."""
        page = self._page
        page.evaluate("document.querySelector('.settings').open = true")
        page.fill("#as_of", AS_OF)
        page.select_option("#edition", edition)
        page.evaluate("document.getElementById('result').replaceChildren()")
        start = time.perf_counter()
        page.set_input_files("#file", [])
        page.set_input_files("#file", str(file))
        # At every frame: waiting for a selector looks twice a second after its first looks.
        page.wait_for_function("shown => document.querySelector(shown) !== null", arg=SHOWN, timeout=120_000)
        return time.perf_counter() - start

    def has_score(self) -> bool:
        """Return whether the result is a score, and no error."""
        return bool(self._page.query_selector("#result [data-status]"))

    def download(self, kind: str = "json") -> str:
        """Return what is saved as JSON or as HTML."""
        with self._page.expect_download(timeout=120_000) as download:
            self._page.click(f"[data-export={kind}]")
        return Path(download.value.path()).read_text("utf-8")


class _Files(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def serve_folder(folder: Path) -> Iterator[str]:
    """Serve the files of a folder on loopback, and yield the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def score_here(file: Path, edition: str) -> str:
    """Return the JSON of the command line for a file."""
    command = [sys.executable, "-m", "steelyard", "score", file.name, "--format", "json", "--edition", edition]
    environment = {**os.environ, "STEELYARD_AS_OF": AS_OF, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=file.parent, env=environment, capture_output=True, text=True, check=False)
    return done.stdout


def round_parts(text: str) -> str:
    """Return a document whose parts have 12 digits: in the 16th the logarithms of two C libraries may differ."""
    document = json.loads(text)
    for page in document["pages"]:
        for component in page["components"].values():
            parts = component["parts"].items()
            component["parts"] = {key: float(f"{v:.12g}") if isinstance(v, float) else v for key, v in parts}
    return json.dumps(document)


def write_pages(data: Path, folder: Path) -> list[Path]:
    """Write pages of every language as files, evenly from the whole of each set."""
    files = []
    for language, number in PAGES.items():
        records = [json.loads(line) for line in (data / f"web_{language}.jsonl").read_text("utf-8").splitlines()]
        for index in range(number):
            record = records[index * len(records) // number]
            files.append(folder / f"{language}-{index}.md")
            files[-1].write_text(record["text"], encoding="utf-8")
    return files


def measure_sizes(folder: Path) -> dict[str, float]:
    """Return the megabytes of the folder: as they are, and as a server compresses them."""
    brotli = import_module("brotli")
    files = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    sizes = {
        "raw": sum(map(len, files)),
        "gzip": sum(len(gzip.compress(data, 6)) for data in files),
        "brotli": sum(len(brotli.compress(data, quality=9)) for data in files),
    }
    return {name: round(size / 1e6, 1) for name, size in sizes.items()}


def compare(browser: Any, url: str, files: list[Path]) -> dict[str, Any]:
    """Compare the JSON of all files in all editions, without a network."""
    playground = open_offline(browser, url)
    bytes_differ, numbers_differ = [], []
    for file in files:
        for edition in editions.NAMES:
            playground.open(file, edition)
            there, here = playground.download(), score_here(file, edition)
            bytes_differ += [(file.name, edition)] if there != here else []
            numbers_differ += [(file.name, edition)] if round_parts(there) != round_parts(here) else []
        print(file.name, bytes_differ, numbers_differ, file=sys.stderr, flush=True)
    words = max(len(file.read_text("utf-8").split()) for file in files)
    documents = len(files) * len(editions.NAMES)
    counts = {"pages": len(files), "documents": documents, "words_most": words}
    return counts | {"bytes_differ": len(bytes_differ), "numbers_differ": len(numbers_differ)}


def measure_time(browser: Any, url: str, files: list[Path]) -> dict[str, Any]:
    """Measure the seconds to the first score of a new window, and to later ones: of a few files in all languages.

    Where other work shares the machine, the seconds of the processors say what an idle one would take at most.
    """
    first: dict[str, list[float]] = {edition: [] for edition in editions.NAMES}
    processors: list[float] = []
    for edition in editions.NAMES * STARTS:
        context = browser.new_context()
        page = context.new_page()
        start, used = time.perf_counter(), read_processor_seconds()
        page.goto(url)
        Playground(page).open(files[0], edition)
        first[edition].append(time.perf_counter() - start)
        processors.append(read_processor_seconds() - used)
        print(edition, first[edition][-1], processors[-1], file=sys.stderr, flush=True)
        context.close()
    playground = open_offline(browser, url)
    later: dict[str, list[float]] = {edition: [] for edition in editions.NAMES}
    later_processors: list[float] = []
    for file in files[:: len(files) // TIMED]:
        for edition in editions.NAMES:
            used = read_processor_seconds()
            seconds = playground.open(file, edition)
            if playground.has_score():
                later[edition].append(seconds)
                later_processors.append(read_processor_seconds() - used)
                print(file.name, edition, seconds, later_processors[-1], file=sys.stderr, flush=True)
    return {
        "starts": STARTS,
        "first_seconds": {name: round(statistics.median(seconds), 1) for name, seconds in first.items()},
        "first_seconds_most": round(max(max(seconds) for seconds in first.values()), 1),
        "first_processor_seconds": round(statistics.median(processors), 1),
        "later_processor_seconds": round(statistics.median(later_processors), 2),
        "later_processor_seconds_most": round(max(later_processors), 2),
        "load": round(os.getloadavg()[0], 1),
        "processors": os.cpu_count(),
        "later_scores": sum(map(len, later.values())),
        "later_seconds": {name: round(statistics.median(seconds), 2) for name, seconds in later.items()},
        "later_seconds_most": {name: round(max(seconds), 2) for name, seconds in later.items()},
    }


def read_processor_seconds() -> float:
    """Return the seconds of the processors that the processes started by this one have used, which still run."""
    stats: dict[int, tuple[int, int]] = {}  # the parent and the ticks of each process
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            stats[int(path.parent.name)] = int(fields[1]), int(fields[11]) + int(fields[12])
    ours = {os.getpid()}
    while added := {pid for pid, (parent, _) in stats.items() if parent in ours} - ours:
        ours |= added
    return sum(stats[pid][1] for pid in ours - {os.getpid()}) / os.sysconf("SC_CLK_TCK")


def open_offline(browser: Any, url: str) -> Playground:
    """Return a playground that is loaded, and has no network any more."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector("#status:text-is('Ready.')", timeout=300_000)
    context.set_offline(True)
    return Playground(page)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", choices=("same", "time"), help="keep what was measured of the other")
    only, data = (arguments := parser.parse_args()).only, arguments.data
    folder = CACHE / "playground"
    build(folder)
    program = next(path for name in BROWSERS if (path := shutil.which(name)))
    result = json.loads(RESULT.read_text("utf-8")) if only and RESULT.is_file() else {}
    with (
        tempfile.TemporaryDirectory() as pages,
        serve_folder(folder) as url,
        import_module("playwright.sync_api").sync_playwright() as playwright,
    ):
        files = write_pages(data, Path(pages))
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        result |= compare(browser, url, files) if only != "time" else {}
        result |= measure_time(browser, url, files) if only != "same" else {}
        browser.close()
    result["megabytes"] = measure_sizes(folder)
    RESULT.write_text(json.dumps(result, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    print(json.dumps(result))
    return 1 if result.get("numbers_differ") else 0


if __name__ == "__main__":
    sys.exit(main())
