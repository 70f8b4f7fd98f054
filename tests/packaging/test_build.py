"""What users install: both archives are complete, and the wheel works alone, without the laboratory."""

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "steelyard"
UNREACHABLE = re.compile(r"connection broken|timed out|Max retries|[Tt]emporary failure|ProxyError|Failed to fetch")

pytestmark = pytest.mark.full  # an archive and an environment are built

LABORATORY = ("numpy", "scipy", "sklearn", "lightgbm", "matplotlib", "datasketch")
EXTRAS = ("trafilatura", "lxml", "hyperscan")

# These must import where only the dependencies of the scorer are installed.
PRODUCT = (
    "support", "inputs", "text", "languages", "components", "scoring", "detectors", "native", "pipeline", "scorer",
    "configuration", "terminal", "pages", "check", "corpora",
)  # fmt: skip
# What else may be needed, and where: it comes with the extras.
NEEDED = {
    "steelyard.check.lsp": ("lsprotocol", "pygls"),
    "steelyard.check.mcp": ("anyio", "mcp", "mcp_types", "pydantic", "starlette"),
    "steelyard.corpora.": ("pyarrow",),
    "steelyard.support.http.": ("certifi", "httpcore"),
    "steelyard.support.server_connection": ("uvicorn",),
}

IMPORT_THE_PRODUCT = """
import importlib, importlib.util, json, pkgutil, sys
import steelyard, steelyard.cli.main
refused = {}
for name in sys.argv[1:]:
    if importlib.util.find_spec("steelyard." + name):
        package = importlib.import_module("steelyard." + name)
        for module in pkgutil.walk_packages(getattr(package, "__path__", []), package.__name__ + "."):
            try:
                importlib.import_module(module.name)
            except steelyard.MissingExtra as error:
                refused[module.name] = str(error)
            except ModuleNotFoundError as error:
                refused[module.name] = error.name
print(json.dumps({"file": steelyard.__file__, "modules": sorted(sys.modules), "refused": refused}))
"""

PAGE = """# Keeping bees in a small garden

A colony needs about 25 kg of honey to survive a northern winter, according to a 2021 survey of 340 keepers.
Place the hive where the morning sun reaches it before nine o'clock, and keep its entrance clear of tall grass.
"""


class Archives(NamedTuple):
    wheel: Path
    sdist: Path


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Archives:
    # As in a release, the wheel is made from the sdist: a file that is missing in the sdist is missing in both.
    out = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-I", "-m", "hatchling", "build", "--target", "sdist", "--directory", out], cwd=ROOT)
    (sdist,) = out.glob("*.tar.gz")
    alone = ("--no-deps", "--no-build-isolation", "--wheel-dir", out)
    run([sys.executable, "-I", "-m", "pip", "wheel", *alone, sdist], cwd=out)
    (wheel,) = out.glob("*.whl")
    return Archives(wheel, sdist)


@pytest.fixture(scope="module")
def installed(archives: Archives, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin directory of an environment that holds the locked scorer dependencies and the wheel, nothing else."""
    venv = tmp_path_factory.mktemp("installed") / "venv"
    run([sys.executable, "-m", "venv", "--without-pip", venv])
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", venv / "bin" / "python"]
    download = run([*pip, "install", "--require-hashes", "-r", ROOT / "requirements" / "scorer.txt"], check=False)
    if download.returncode != 0:
        if UNREACHABLE.search(download.stderr):
            pytest.skip("the package index cannot be reached, so the wheel's dependencies cannot be installed")
        pytest.fail(f"the scorer's lock cannot be installed:\n{download.stderr[-3000:]}")
    run([*pip, "install", "--no-deps", "--no-index", archives.wheel])
    run([*pip, "check"])
    return venv / "bin"


def run(
    command: Sequence[str | Path], *, cwd: Path | None = None, check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a command as a user who has never seen this checkout: no PYTHONPATH, no active environment."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    env |= {"PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "STEELYARD_AS_OF": "2026-07-01"}
    result = subprocess.run(list(command), cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if check:
        assert result.returncode == 0, f"{command} gave {result.returncode}\n{result.stdout}\n{result.stderr}"
    return result


def package_files() -> set[str]:
    """Return every file of the package, under its name inside the archives."""
    paths = [p for p in PACKAGE.rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    names = {path.relative_to(ROOT).as_posix() for path in paths}
    for data in (
        "languages/en/paper/statistic.toml",
        "pages/html/report.js",
        "scoring/weights/shipped.toml",
        "py.typed",
    ):
        assert f"steelyard/{data}" in names  # otherwise the comparison could pass without data
    return names


def test_the_wheel_holds_the_package_its_data_and_nothing_else(archives: Archives):
    names = set(zipfile.ZipFile(archives.wheel).namelist())
    assert package_files() <= names
    assert {name.split("/")[0] for name in names} == {"steelyard", archives.wheel.name.split("-py3")[0] + ".dist-info"}
    assert not [name for name in names if name.endswith(".pyc")]


def test_the_sdist_holds_the_package_its_data_and_the_licence(archives: Archives):
    with tarfile.open(archives.sdist) as sdist:
        names = {name.split("/", 1)[1] for name in sdist.getnames() if "/" in name}
    assert package_files() | {"LICENSE", "README.md", "SECURITY.md", "pyproject.toml"} <= names
    assert not [name for name in names if name.startswith((".", "tests/", "requirements/")) and name != ".gitignore"]


def test_the_wheel_requires_what_the_project_declares_and_no_more(archives: Archives):
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    with zipfile.ZipFile(archives.wheel) as wheel:
        (metadata,) = (wheel.read(name).decode() for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    required = [line.split(": ", 1)[1] for line in metadata.splitlines() if line.startswith("Requires-Dist: ")]
    assert sorted(line for line in required if "extra ==" not in line) == sorted(declared)


def test_the_installed_command_scores_a_page_from_another_directory(
    installed: Path, tmp_path: Path, archives: Archives
):
    command = installed / "steelyard"
    assert archives.wheel.name.split("-")[1] in run([command, "--version"], cwd=tmp_path).stdout
    (tmp_path / "page.md").write_text(PAGE)
    report = json.loads(run([command, "score", "page.md", "--format", "json"], cwd=tmp_path).stdout)
    assert report["errors"] == []
    (page,) = report["pages"]
    assert page["source"] == "page.md"
    assert 0 <= page["score"] <= 100
    refused = run([command, "falsify", "length"], check=False)
    assert refused.returncode == 2
    assert "pip install 'steelyard[lab]'" in refused.stderr
    code = "from steelyard.lab.corpus import loading; print(len(loading.load_corpus('demo').pages))"
    pages = len(list((ROOT / "examples" / "site").rglob("*.md")))
    assert run([installed / "python", "-c", code]).stdout.strip() == str(pages)


def test_the_product_imports_where_the_laboratory_is_absent(installed: Path, tmp_path: Path):
    absent = f"import importlib.util as u; print([n for n in {LABORATORY + EXTRAS} if u.find_spec(n)])"
    assert run([installed / "python", "-c", absent], cwd=tmp_path).stdout.strip() == "[]"
    seen = json.loads(run([installed / "python", "-c", IMPORT_THE_PRODUCT, *PRODUCT], cwd=tmp_path).stdout)
    assert str(installed.parent) in seen["file"], "the checkout was imported instead of the wheel"
    assert "steelyard.scoring" in seen["modules"]
    for module, reason in seen["refused"].items():
        (packages,) = (packages for start, packages in NEEDED.items() if module.startswith(start))
        assert reason in packages or "pip install" in reason
