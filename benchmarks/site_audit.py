"""Audit a generated site on loopback, twice: rate, memory and size of the store.

    python -m benchmarks.site_audit [--pages N]

The pages have some 370 words each, made from the sentences of `examples/site`, and link to ten others. The second audit
finds them unchanged.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from steelyard.support.artifacts import to_json, write_artifact

ROOT = Path(__file__).resolve().parent.parent
WORDS = 370
LINKS = 10


@cache
def load_sentences() -> list[str]:
    """Return the sentences of the example pages."""
    texts = [path.read_text("utf-8") for path in sorted((ROOT / "examples" / "site").rglob("*.md"))]
    return [part.strip() + "." for text in texts for part in text.split(". ") if 5 < len(part.split()) < 40]


def make_page(number: int, total: int) -> bytes:
    """Return page `number` of the site; page 0 is the front page."""
    rng = random.Random(number)
    paragraphs, words = [], 0
    while words < WORDS:
        paragraph = " ".join(rng.choices(load_sentences(), k=4))
        words += len(paragraph.split())
        paragraphs.append(f"<p>{paragraph}</p>")
    children = range(LINKS * number + 1, min(total, LINKS * number + LINKS + 1))
    links = "".join(f'<li><a href="/{spell(child)}">{spell(child)}</a></li>' for child in children)
    body = f"<article><h1>Page {spell(number)}</h1>{''.join(paragraphs)}</article><nav><ul>{links}</ul></nav>"
    return f"<!doctype html><html><head><title>Page {spell(number)}</title></head><body>{body}</body></html>".encode()


_DIGITS, _LETTERS = "0123456789", "abcdefghij"


def spell(number: int) -> str:
    """Return a number in letters: addresses that differ only in digits would be taken for a calendar."""
    return str(number).translate(str.maketrans(_DIGITS, _LETTERS))


def read_spelled(letters: str) -> int:
    """Return the number that letters spell."""
    return int(letters.translate(str.maketrans(_LETTERS, _DIGITS)))


def serve(total: int) -> None:
    """Serve the site and print its address, until killed."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            name = self.path.strip("/")
            found = bool(name) and set(name) <= set(_LETTERS) and read_spelled(name) < total
            body = make_page(read_spelled(name) if name else 0, total) if found or not name else b"not found"
            self.send_response(200 if found or not name else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


def measure_tree(root: int) -> float:
    """Return the memory of a process and all below it, in MB."""
    parents: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
                sizes[int(entry)] = int(Path(f"/proc/{entry}/statm").read_text().split()[1]) * 4096
            except OSError:
                continue
            parents[int(entry)] = int(fields[1])
    family = {root}
    while more := {pid for pid, parent in parents.items() if parent in family and pid not in family}:
        family |= more
    return sum(sizes.get(pid, 0) for pid in family) / 1e6


def audit(url: str, pages: int, store: Path) -> dict[str, object]:
    """Run one audit; return its rate, and the memory of all its processes after a fifth, half and most of the pages."""
    command = [sys.executable, "-m", "steelyard", "audit", url, "--max-pages", str(pages), "--max-depth", "50"]
    command += ["--concurrency", "8", "--store", str(store), "--progress", "json", "--format", "csv", "-o", os.devnull]
    command += ["--as-of", "2026-07-01"]
    started = time.monotonic()
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    if process.stderr is None:
        raise RuntimeError("no pipe")
    memory: dict[str, float] = {}
    last: dict[str, object] = {}
    for line in process.stderr:
        last = json.loads(line)
        for share in (0.2, 0.5, 0.95):
            name = f"at_{100 * share:.0f}_percent"
            if last["event"] == "progress" and name not in memory and int(str(last["finished"])) >= share * pages:
                memory[name] = round(measure_tree(process.pid))
    if process.wait() != 0:
        raise RuntimeError(f"the audit failed: {last}")
    seconds = time.monotonic() - started
    size = sum(path.stat().st_size for path in store.parent.glob(f"{store.name}*"))
    return {
        "pages": last["pages"], "seconds": round(seconds, 1), "pages_a_second": round(pages / seconds, 1),
        "memory_mb": memory, "store_bytes": size, "store_bytes_a_page": round(size / pages),
    }  # fmt: skip


def main() -> int:
    """Audit the site twice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("-o", "--output", type=Path, help="write the figures as JSON")
    options = parser.parse_args()
    if options.serve:
        serve(options.pages)
        return 0
    command = [sys.executable, "-m", "benchmarks.site_audit", "--serve", "--pages", str(options.pages)]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server,
    ):
        try:
            url = server.stdout.readline().strip() if server.stdout else ""
            store = Path(folder) / "store.sqlite"
            found = {name: audit(url, options.pages, store) for name in ("first", "unchanged")}
        finally:
            server.kill()
    print(to_json(found))
    if options.output is not None:
        write_artifact(options.output, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
