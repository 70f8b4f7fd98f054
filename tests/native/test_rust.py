"""The core's own tests, run by cargo on generated pages."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from steelyard.native.describe import describe_edition, describe_language
from steelyard.scoring import editions

CORE = Path(__file__).parents[2] / "core"


@pytest.mark.full
@pytest.mark.skipif(shutil.which("cargo") is None, reason="no cargo here")
def test_the_crate(tmp_path: Path) -> None:
    for name in editions.NAMES:
        edition = editions.load(name)
        described = [describe_language(edition.load_language(code)) for code in edition.languages]
        content = {"edition": describe_edition(edition), "languages": described}
        (tmp_path / f"{name}.json").write_text(json.dumps(content), "utf-8")
    target = CORE.parent / ".cache" / "core-tests"
    command = ["cargo", "test", "--release", "--locked", "--no-default-features", "--target-dir", str(target)]
    variables = {**os.environ, "STEELYARD_DESCRIPTIONS": str(tmp_path), "CARGO_PROFILE_RELEASE_LTO": "off"}
    done = subprocess.run(command, cwd=CORE, env=variables, capture_output=True, text=True, check=False, timeout=1800)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
