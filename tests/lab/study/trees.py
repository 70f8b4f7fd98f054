"""A project of one document, one artifact and three claims, in which everything is as it is printed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steelyard.lab.study.claims import NothingThere
from steelyard.lab.study.verify import Printed

PAGE = """# Gates

<!-- verified -->

We tried 12 pages and five gates; 4.2% of them failed, which the paper puts at 7%.

<!-- begin: table: python -m tools.made --table -->

| pages | share |
| ---: | ---: |
| 12 | 4.2% |

<!-- end -->

<!-- begin: steelyard score page.md -->

```console
$ steelyard score page.md
71.5 of 100
```

<!-- end -->
"""
CLAIMS = """
[[claim]]
place = "docs/page.md"
text = "We tried 12 pages and five gates"
numbers = [{ artifact = "docs/artifacts/made.json#/result/pages" }, { code = "steelyard.lab.protocol.gates:NAMES|len" }]

[[claim]]
place = "docs/page.md"
text = "4.2% of them failed"
artifact = "docs/artifacts/made.json#/result/share/0"
scale = 100

[[claim]]
place = "docs/page.md"
text = "which the paper puts at 7%"
paper = "Section 4"
"""
MADE: dict[str, Any] = {"inputs": {"pages.jsonl": "ab" * 32}, "result": {"pages": 12, "share": [0.0417]}}


def tree(root: Path, *, page: str = PAGE, claims: str = CLAIMS, made: dict[str, Any] | str = MADE) -> Path:
    (root / "docs" / "artifacts").mkdir(parents=True)
    (root / "docs" / "page.md").write_text(page, "utf-8")
    (root / "docs" / "claims.toml").write_text(claims, "utf-8")
    text = made if isinstance(made, str) else json.dumps(made)
    (root / "docs" / "artifacts" / "made.json").write_text(text, "utf-8")
    return root


def printer(root: Path):
    """Stands in for the project's tools: the table, made from the artifact as it is now."""

    def render(commands: Sequence[str]) -> Printed:
        try:
            made = json.loads((root / "docs" / "artifacts" / "made.json").read_text("utf-8"))["result"]
        except OSError as error:
            return dict.fromkeys(commands, NothingThere(str(error)))
        rows = f"| pages | share |\n| ---: | ---: |\n| {made['pages']} | {100 * made['share'][0]:.1f}% |\n"
        return dict.fromkeys(commands, rows)

    return render
