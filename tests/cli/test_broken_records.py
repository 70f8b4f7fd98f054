"""A broken line of JSONL: whichever command reads it, the same words, the file and the line."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
READERS = (
    ("score",),
    ("domains",),
    ("corpus", "build", "pages", "-o", "made.jsonl"),
    ("falsify", "length", "--corpus"),
    ("protocol", "observational", "--outcomes"),
    ("outcome", "stats"),
    ("ranking", "study"),
)
BROKEN = {
    "not JSON": (b'{"text": \n', "not JSON (Expecting value at column 9)"),
    "no object": (b'"text"\n', "a JSON str, not an object"),
    "not UTF-8": (b'{"text": "\xff"}\n', "not JSON (not UTF-8 at byte 10)"),
}
# A table of scores is decoded as a page is, with its bad bytes replaced.
CASES = [(c, kind) for c in READERS for kind in BROKEN if (c[0], kind) != ("domains", "not UTF-8")]


@pytest.mark.parametrize(("command", "kind"), CASES, ids=[f"{' '.join(c)}: {kind}" for c, kind in CASES])
def test_every_command_says_file_line_and_reason_alike(
    run: Run, tmp_path: Path, command: tuple[str, ...], kind: str
) -> None:
    line, reason = BROKEN[kind]
    (tmp_path / "broken.jsonl").write_bytes(b"\n" + line)
    done = run(*command, "broken.jsonl", *(("demo",) if "--outcomes" in command else ()), cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"steelyard: broken.jsonl:2: {reason}; "), done.stderr
    assert len(done.stderr.splitlines()) == 1
