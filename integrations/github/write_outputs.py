"""Print the outputs of the GitHub Action, one `name=value` a line, from the reports of `steelyard check`.

    write_outputs.py FOLDER EXIT_CODE

Only numbers and paths that the action chose are printed, so nothing in a page can add a line; a value with a line break
is refused all the same.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path


def list_outputs(folder: Path, code: int) -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each output."""
    report = folder / "report.json"
    yield "exit-code", str(code)
    if not report.is_file():  # the configuration or an option was wrong
        yield "failed", "true"
        return
    document = json.loads(report.read_text("utf-8"))
    scores = [float(page["score"]) for page in document["pages"]]
    failed = sum(page["failed"] is True for page in document["pages"]) + len(document["errors"])
    if scores:
        yield "score", f"{min(scores):.2f}"
        yield "median-score", f"{statistics.median(scores):.2f}"
    yield "failed", "true" if failed else "false"
    yield "failed-pages", str(failed)
    for name, file in (("report", report), ("sarif", folder / "findings.sarif"), ("summary", folder / "summary.md")):
        yield name, str(file)


if __name__ == "__main__":
    outputs = list(list_outputs(Path(sys.argv[1]), int(sys.argv[2])))
    for name, value in outputs:
        if value.splitlines() != [value]:
            sys.exit(f"::error title=steelyard::the output {name} has a line break")
    for name, value in outputs:
        print(f"{name}={value}")
