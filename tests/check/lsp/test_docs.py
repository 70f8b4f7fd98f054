"""The example in docs/editors.md is what the server sends, and its settings can be read."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from steelyard.check.lsp.checks import LANGUAGES
from tests.check.lsp.client import Client

ROOT = Path(__file__).resolve().parents[3]
DOCS = (ROOT / "docs" / "editors.md").read_text("utf-8")


def block(kind: str) -> str:
    found = re.search(rf"```{kind}\n(.*?)```", DOCS, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_findings_are_those_of_the_page() -> None:
    path = ROOT / "examples" / "site" / "health" / "sleep-better.md"
    lines = []
    with Client() as client:
        client.initialize()
        client.open(path, path.read_text("utf-8"))
        for found in client.diagnostics(path):
            start = found["range"]["start"]
            place = f"[Ln {start['line'] + 1}, Col {start['character'] + 1}]"
            lines.append(f"{found['message']}  steelyard({found['code']}) {place}")
    shown = block("text")
    assert "\n".join(lines) == shown.rstrip("\n")
    assert shown.count("steelyard(") >= 3


def test_the_settings_exist_and_name_languages_that_are_checked() -> None:
    manifest = json.loads((ROOT / "integrations" / "vscode" / "package.json").read_text("utf-8"))
    assert json.loads(block("json")).keys() <= manifest["contributes"]["configuration"]["properties"].keys()
    filetypes = re.search(r"filetypes = \{(.*?)\}", block("lua"))
    assert filetypes is not None
    assert {name.strip(' "') for name in filetypes[1].split(",")} <= {*LANGUAGES, "toml"}
    assert {language["name"] for language in tomllib.loads(block("toml"))["language"]} <= set(LANGUAGES)
