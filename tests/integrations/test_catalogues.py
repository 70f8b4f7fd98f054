"""What other catalogues hold about this package: MegaLinter's descriptor and the Schema Store's entry."""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml

from steelyard import __version__
from steelyard.configuration.file import OWN_NAME
from tests.conftest import ROOT, run_here
from tests.integrations.conftest import BOATS

FOLDER = ROOT / "integrations" / "mega-linter-plugin-steelyard"
DESCRIPTOR = FOLDER / "steelyard.megalinter-descriptor.yml"  # MegaLinter takes no other form of name
(LINTER,) = yaml.safe_load(DESCRIPTOR.read_text("utf-8"))["linters"]


def test_megalinter_calls_the_check_and_counts_the_pages_that_fail(tmp_path: Path) -> None:
    (tmp_path / "boats.md").write_text(BOATS)
    (tmp_path / "steelyard.toml").write_text("min_score = 90\n")
    arguments = LINTER["cli_lint_extra_args"]
    done = run_here(*arguments, "boats.md", cwd=tmp_path)
    assert done.returncode == 1
    assert re.findall(LINTER["cli_lint_errors_regex"], done.stdout) == ["1"]
    sarif = [argument.replace("{{SARIF_OUTPUT_FILE}}", "out.sarif") for argument in LINTER["cli_sarif_args"]]
    assert run_here(*arguments, *sarif, "boats.md", cwd=tmp_path).returncode == 1
    assert json.loads((tmp_path / "out.sarif").read_text())["version"] == "2.1.0"


def test_megalinter_installs_this_version_and_what_the_lock_has() -> None:
    install = "\n".join(LINTER["install"]["dockerfile"])
    lock = (ROOT / "requirements" / "scorer.txt").read_text("utf-8")
    locked = set(re.findall(r"^(?!google-re2)[a-z-]+==[\d.]+", lock, re.MULTILINE))
    assert {word for word in locked if "colorama" not in word} == set(re.findall(r"[a-z-]+==[\d.]+", install))
    assert f"@v{__version__}" in install


def test_the_schema_store_points_to_the_schema_of_the_configuration() -> None:
    entry = json.loads((ROOT / "integrations" / "schemastore" / "catalog-entry.json").read_text("utf-8"))
    assert entry.keys() == {"name", "description", "fileMatch", "url"}
    assert entry["fileMatch"] == [OWN_NAME]
    assert (ROOT / entry["url"].partition("/main/")[2]).is_file()
