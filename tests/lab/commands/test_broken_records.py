"""A broken line of JSONL: whichever command reads it, the same words, the file and the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import run_here

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


def test_every_command_says_file_line_and_reason_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for command, kind in CASES:
        line, reason = BROKEN[kind]
        (tmp_path / "broken.jsonl").write_bytes(b"\n" + line)
        done = run_here(*command, "broken.jsonl", *(("demo",) if "--outcomes" in command else ()))
        assert done.returncode == 2, (command, kind)
        assert done.stderr.startswith(f"steelyard: broken.jsonl:2: {reason}; "), (command, kind)
        assert len(done.stderr.splitlines()) == 1, (command, kind)
