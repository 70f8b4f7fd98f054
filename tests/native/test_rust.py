"""The core's own tests, run by cargo on generated pages."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from steelyard import components, detectors
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


def test_every_component_and_every_detector_has_its_mirror() -> None:
    files = (CORE / "src" / "components" / "mod.rs", CORE / "src" / "detectors" / "mod.rs")
    named, measured = (path.read_text("utf-8") for path in files)
    listed = re.search(r"pub const NAMES: .*?= \[(.*?)\];", named, re.DOTALL)
    assert listed
    assert tuple(re.findall(r'"(\w+)"', listed[1])) == components.NAMES
    assert tuple(re.findall(r'\("(\w+)", \w+::measure\)', measured)) == detectors.NAMES
    for path, names in zip(files, (components.NAMES, detectors.NAMES), strict=True):
        assert not [name for name in names if not (path.parent / f"{name}.rs").is_file()]
