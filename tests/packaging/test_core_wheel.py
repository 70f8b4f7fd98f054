"""The native core as a wheel: built by maturin, installed beside the package, and used."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.full
@pytest.mark.skipif(shutil.which("cargo") is None, reason="no cargo here")
def test_a_wheel_serves_every_python_from_the_oldest_on(tmp_path: Path) -> None:
    def run(*command: str | Path, **options: str) -> str:
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, timeout=1800)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    run(sys.executable, "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, ROOT / "core")
    (wheel,) = tmp_path.glob("steelyard_core-*.whl")
    assert "-cp311-abi3-" in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.startswith("steelyard_core") and name.endswith(".so") for name in names)
    run(python, "-m", "pip", "install", "--quiet", wheel, ROOT)
    page = ROOT / "examples" / "site" / "index.md"
    code = (
        "import os, steelyard; from steelyard.native.core import core_in_use; assert core_in_use() == 'native'; "
        f"print(steelyard.score(open({str(page)!r}).read(), as_of='2026-07-01').score)"
    )
    scores = [
        run("env", f"STEELYARD_CORE={core}", python, "-c", code.replace("'native'", repr(core)))
        for core in ("native", "python")
    ]
    assert scores[0] == scores[1]
