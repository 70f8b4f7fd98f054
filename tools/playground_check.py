"""Compare the playground with the command line in a real browser without a network, and measure how long it takes.

    python -m tools.playground_check DATA [--output docs/study/checks/playground.json]

DATA is the folder with web_en.jsonl, web_fr.jsonl, web_de.jsonl and web_es.jsonl. Pages of each are scored in every
edition, and the JSON that the page offers for download is compared byte by byte with that of `steelyard score`.
"""

from __future__ import annotations

import argparse
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
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

from tools.playground import CACHE, ROOT, build

AS_OF = "2026-07-01"
PAGES = {"en": 20, "fr": 10, "de": 10, "es": 10}
STARTS = 5  # of the browser, for the time to the first score
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
RESULT = "#result [data-status], #result .error"


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
        page.wait_for_selector(RESULT, state="attached", timeout=120_000)
        return time.perf_counter() - start

    def download(self, kind: str = "json") -> str:
        """Return what is saved as JSON or as HTML."""
        with self._page.expect_download(timeout=120_000) as download:
            self._page.click(f"[data-export={kind}]")
        return Path(download.value.path()).read_text("utf-8")


class _Files(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
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


def measure(browser: Any, url: str, files: list[Path]) -> dict[str, Any]:
    """Compare all files in all editions, and measure how long they take."""
    from steelyard.scoring import editions

    first: dict[str, list[float]] = {edition: [] for edition in editions.NAMES}
    for edition in editions.NAMES * STARTS:
        context = browser.new_context()
        page = context.new_page()
        start = time.perf_counter()
        page.goto(url)
        Playground(page).open(files[0], edition)
        first[edition].append(round(time.perf_counter() - start, 2))
        context.close()
    context = browser.new_context()
    page = context.new_page()
    page.goto(url)
    playground = Playground(page)
    page.wait_for_function("document.getElementById('status').textContent === 'Ready.'", timeout=120_000)
    context.set_offline(True)
    later: dict[str, list[float]] = {edition: [] for edition in editions.NAMES}
    different = []
    for file in files:
        for edition in editions.NAMES:
            later[edition].append(playground.open(file, edition))
            if playground.download() != score_here(file, edition):
                different.append([file.name, edition])
        print(file.name, later[edition][-1], different, file=sys.stderr, flush=True)
    context.close()
    return {
        "pages": len(files),
        "documents": len(files) * len(editions.NAMES),
        "words_most": max(len(file.read_text("utf-8").split()) for file in files),
        "different": different,
        "starts": STARTS,
        "first_seconds": {name: statistics.median(seconds) for name, seconds in first.items()},
        "first_seconds_most": max(max(seconds) for seconds in first.values()),
        "later_seconds": {name: round(statistics.median(seconds), 2) for name, seconds in later.items()},
        "later_seconds_most": {name: round(max(seconds), 2) for name, seconds in later.items()},
    }


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "study" / "checks" / "playground.json")
    arguments = parser.parse_args()
    folder = CACHE / "playground"
    build(folder)
    program = next(path for name in BROWSERS if (path := shutil.which(name)))
    with (
        tempfile.TemporaryDirectory() as pages,
        serve_folder(folder) as url,
        import_module("playwright.sync_api").sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        result = measure(browser, url, write_pages(arguments.data, Path(pages)))
        browser.close()
    result |= {"megabytes": measure_sizes(folder), "load": round(os.getloadavg()[0], 1)}
    arguments.output.write_text(json.dumps(result, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    print(json.dumps(result))
    return 1 if result["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
