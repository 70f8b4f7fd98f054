"""The page about engines shows the scripts as they are, and each script is a Python file that names its date."""

from __future__ import annotations

import ast
import re

from tests.conftest import ROOT

SCRIPTS = {path.name: path.read_text("utf-8") for path in (ROOT / "examples" / "engines").glob("*.py")}


def test_the_page_shows_every_script_as_it_is():
    page = (ROOT / "docs" / "data-engines.md").read_text("utf-8")
    shown = re.findall(r"^```python\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    assert sorted(shown) == sorted(SCRIPTS.values())


def test_every_script_names_the_date_and_scores_with_the_bulk_package():
    assert len(SCRIPTS) == 7
    for name, code in SCRIPTS.items():
        ast.parse(code, name)
        assert 'AS_OF = "2026-07-01"' in code
        assert "from steelyard.bulk." in code
