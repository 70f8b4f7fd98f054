"""A pipe or a device in place of a file is refused at once, by every command that reads files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.driver import DRIVER
from tests.conftest import ROOT, SENTENCE

REFUSED = "not a regular file"
# Every command ends with this reason, or with one that shows that the pipe was not taken for a file.
COMMANDS = {
    "score pipe.md": REFUSED,
    "score pipe.jsonl": REFUSED,
    "score zeros.md": REFUSED,
    "score zeros.jsonl": REFUSED,
    "score page.md --weights pipe.json": REFUSED,
    "score page.md --weights zeros.toml": REFUSED,
    "explain pipe.md": REFUSED,
    "compare page.md pipe.jsonl": REFUSED,
    "check pipe.md": REFUSED,
    "check page.md --config pipe.toml": REFUSED,
    "check page.md --baseline pipe.json": REFUSED,
    "check page.md --weights pipe.json": REFUSED,
    "config page.md --config pipe.toml": REFUSED,
    "filter pipe.jsonl -o out.jsonl": REFUSED,
    "domains pipe.csv": REFUSED,
    "domains zeros.jsonl": REFUSED,
    "predict pipe.md --query x": REFUSED,
    "predict page.md --query x --model model": REFUSED,
    "corpus build pages pipe -o out": REFUSED,
    "corpus build pages zeros.jsonl -o out": REFUSED,
    "corpus build geo-bench pipe.jsonl -o out": REFUSED,
    "corpus build geo-bench pipe.json -o out": REFUSED,
    "falsify length --corpus pipe": REFUSED,
    "falsify length --corpus zeros.jsonl": REFUSED,
    "falsify pipe.toml": REFUSED,
    "protocol capture pipe -o out": REFUSED,
    "protocol capture zeros.jsonl -o out": REFUSED,
    "protocol capture page.md -o pipe.jsonl": REFUSED,
    "protocol gates pipe.jsonl": REFUSED,
    "protocol observational demo --outcomes pipe.jsonl": REFUSED,
    "gaming displacement pipe.csv": REFUSED,
    "outcome run pipe.jsonl -o out": REFUSED,
    "outcome run --engine llama:pipe.gguf -o out": "no such file",
    "outcome stats zeros.jsonl": REFUSED,
    "outcome anchors pipe.jsonl": REFUSED,
    "outcome levers pipe.jsonl": REFUSED,
    "outcome blind pipe.jsonl zeros.jsonl": REFUSED,
    "ranking train pipe.jsonl -o model": REFUSED,
    "verify --against pipe.json": REFUSED,
    "verify --against releases": REFUSED,
    "verify --against zeros.json": REFUSED,
    "verify study": "no study here",
    "verify sections": REFUSED,
    "reproduce --corpus pipe.jsonl --out out": REFUSED,
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_no_command_waits_for_a_pipe_or_reads_a_device(tmp_path: Path) -> None:
    for folder in ("model", "releases", "study", "sections", "sections/artifacts"):
        (tmp_path / folder).mkdir()
    for name in ("pipe", "model/manifest.json", "releases/0.1.0.json", "study/study.json", "sections/artifacts/a.json"):
        os.mkfifo(tmp_path / name)
    for suffix in ("md", "jsonl", "json", "csv", "toml", "gguf"):
        os.mkfifo(tmp_path / f"pipe.{suffix}")
        (tmp_path / f"zeros.{suffix}").symlink_to("/dev/zero")
    section = {"name": "a", "study": "gates", "title": "A section"}
    (tmp_path / "sections" / "study.json").write_text(json.dumps({"illustrated": False, "sections": [section]}))
    (tmp_path / "page.md").write_text(SENTENCE * 40)
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=json.dumps([command.split() for command in COMMANDS]).encode(),
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "STEELYARD_AS_OF": "2026-07-01", "PYTHONPATH": str(ROOT)},
        timeout=300,  # they take ten seconds
        check=True,
    )
    ends = json.loads(done.stdout)
    wrong = {
        command: (code, out, err)
        for (command, reason), (code, out, err) in zip(COMMANDS.items(), ends, strict=True)
        # A study that cannot be read is a finding of `verify`.
        if code not in ((1,) if command == "verify sections" else (2,)) or reason not in out + err
    }
    assert not wrong
