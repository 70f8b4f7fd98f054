"""What every presentation must be: made from the artifact alone, plain and narrow; and the committed results."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from steelyard.lab.study.findings import Findings
from steelyard.support.artifacts import to_json
from tests.conftest import ROOT

COMMITTED = ROOT / "docs" / "study" / "artifacts"
COLUMNS = 120  # of a terminal
HOSTILE = "<script>alert(1)</script>| | *bold*\x1b[31m\u202e\n`x` $a^b$"


def committed_result(section: str) -> Any:
    """Return the result of a section of the committed study, or None."""
    path = COMMITTED / f"{section}.json"
    return json.loads(path.read_text("utf-8"))["result"] if path.is_file() else None


def check_presentation(
    present: Callable[[Mapping[str, Any]], Findings], result: Mapping[str, Any], *, plain: bool = True
) -> Findings:
    """Present a result twice, once with its keys sorted as in an artifact, and check what must hold for every study.

    Args:
        plain: Whether all words are ours, and every table is as narrow as a terminal.
    """
    before = copy.deepcopy(result)
    found, again = present(result), present(json.loads(to_json(result, sort_keys=True)))
    assert result == before, "a presentation must not change its result"
    assert found.to_terminal() == again.to_terminal()
    assert found.to_markdown() == again.to_markdown()
    assert found.plots == again.plots
    assert not re.search(r"\bnan\b|\binf\b|None|True|False(?! positives)|−0\.0+\b", found.to_terminal())
    for titled in found.tables:
        assert titled.title
        assert titled.table.rows, titled.title
    if plain:
        promise = re.search(r"\bcited\b|predicts?\b|forecast|will rank", found.to_terminal())
        assert not promise, "no promise of citations"
        for titled in found.tables:
            lines = titled.table.to_terminal()
            assert max(map(len, lines)) <= COLUMNS, titled.title
            assert not re.search(r"(?<![\w-])-\d", "\n".join(lines)), "a hyphen for a minus"
    return found


def rows_of(findings: Findings, title: str) -> list[list[str]]:
    """Return the printed rows of the one table whose title contains these words."""
    (table,) = (t.table for t in findings.tables if title in t.title)
    return table.texts()
