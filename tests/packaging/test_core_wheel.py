"""The native core as a wheel: built by maturin, installed beside the package, and used."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.mark.full
@pytest.mark.skipif(shutil.which("cargo") is None, reason="no cargo here")
def test_a_wheel_serves_every_python_from_the_oldest_on(tmp_path: Path) -> None:
    def run(*command: str | Path) -> str:
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, timeout=1800)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    run(sys.executable, "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    # As in the Dockerfile: the build back ends come from the locks, and maturin's is looked up on the PATH.
    pip = ("env", f"PATH={python.parent}:{os.environ['PATH']}", python, "-I", "-m", "pip")
    locks = [part for name in ("setup", "core", "scorer") for part in ("-r", ROOT / "requirements" / f"{name}.txt")]
    run(*pip, "install", "--quiet", "--require-hashes", "--only-binary", ":all:", *locks)
    run(*pip, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path, ROOT / "core")
    (wheel,) = tmp_path.glob("steelyard_core-*.whl")
    assert "-cp311-abi3-" in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.startswith("steelyard_core") and name.endswith(".so") for name in names)
    run(*pip, "install", "--quiet", "--no-deps", "--no-build-isolation", wheel, ROOT)
    page = ROOT / "examples" / "site" / "index.md"
    code = (
        "import os, steelyard; from steelyard.native.core import choose_core; assert choose_core() == 'native'; "
        f"print(steelyard.score(open({str(page)!r}).read(), as_of='2026-07-01').score)"
    )
    scores = [
        run("env", f"STEELYARD_CORE={core}", python, "-c", code.replace("'native'", repr(core)))
        for core in ("native", "python")
    ]
    assert scores[0] == scores[1]
