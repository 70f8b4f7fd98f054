"""Compare what two checkouts print about the same pages, byte by byte: `python -m tools.same_output BEFORE [AFTER]`.

For a change that must not move a number. Each checkout needs its `.venv`. Pages: the demo's, and those of the data
folder (STEELYARD_DATA, or ../shared/data) where it is there; every edition, with detectors and without evidence cut.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from steelyard.scoring import editions

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("STEELYARD_DATA") or ROOT.parent / "shared" / "data")


def list_runs() -> Iterator[list[str]]:
    """Yield the arguments of every run."""
    inputs = [ROOT / "examples" / "site", ROOT / "examples" / "html", *sorted(DATA.glob("web_*.jsonl")), DATA / "html"]
    for edition in editions.NAMES:
        for path in filter(Path.exists, inputs):
            shared = [str(path), "--edition", edition, "--as-of", "2026-07-01", "--quiet"]
            yield ["score", *shared, "--detect", "--format", "json", "--with-text"]
            yield ["score", *shared, "--format", "csv"]
        for page in sorted((ROOT / "examples" / "site").rglob("*.md"))[:6]:
            yield ["explain", str(page), "--edition", edition, "--as-of", "2026-07-01", "--all"]


def run(checkout: Path, arguments: list[str], core: str) -> tuple[int, bytes]:
    """Return how a command ends and what it prints, without its progress."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "STEELYARD_CORE": core, "STEELYARD_CACHE": folder}
        command = [str(checkout / ".venv" / "bin" / "steelyard"), *arguments]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
        return done.returncode, done.stdout


def main() -> int:
    """Compare, print a line for each run, and return 1 where one differs."""
    before, after = (Path(name).resolve() for name in (*sys.argv[1:], str(ROOT))[:2])
    differences = 0
    for arguments in list_runs():
        old, new = (run(checkout, arguments, core) for checkout, core in ((before, "native"), (after, "native")))
        is_same = old == new
        differences += not is_same
        digest = hashlib.sha256(new[1]).hexdigest()[:12]
        print("same  " if is_same else "DIFFER", digest, len(new[1]), " ".join(arguments[:4]), flush=True)
        if not is_same:
            pairs = zip_longest(old[1].splitlines(), new[1].splitlines(), fillvalue=b"")
            line = next((pair for pair in pairs if pair[0] != pair[1]), (str(old[0]).encode(), str(new[0]).encode()))
            print("  before:", line[0][:200], "\n  after: ", line[1][:200])
    print(f"{differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
