"""The page about corpora names every script, shows one as it is, and each is a Python file that names its date."""

from __future__ import annotations

import ast
import re

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "filter.md").read_text("utf-8")
SCRIPTS = {path.name: path.read_text("utf-8") for path in (ROOT / "examples" / "engines").glob("*.py")}


def test_the_page_names_every_script() -> None:
    assert set(re.findall(r"\(\.\./examples/engines/(\w+\.py)\)", PAGE)) == SCRIPTS.keys()


def test_the_page_shows_a_script_as_it_is() -> None:
    shown = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
    assert shown == [SCRIPTS["with_pyarrow.py"]]


def test_every_script_names_the_date_and_scores_with_the_bulk_package() -> None:
    assert len(SCRIPTS) == 7
    for name, code in SCRIPTS.items():
        ast.parse(code, name)
        assert 'AS_OF = "2026-07-01"' in code
        assert "from steelyard.corpora." in code
