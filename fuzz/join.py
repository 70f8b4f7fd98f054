"""`python -m fuzz.join PART.json ... -o FILE`: add up the results of the parts of one run."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fuzz.check_pages import SHOWN, WITH_BOTH_CORES
from fuzz.kinds.repository import RAN
from fuzz.tally import SCHEMA
from steelyard.support.artifacts import write_artifact

_SUMS = ("pages_by_kind", "other_inputs_by_kind", "refused", "sampled", "processor_seconds_by_kind")


def join(parts: Sequence[dict[str, Any]], reason: str | None = None) -> dict[str, Any]:
    """Return the result of a run from the results of its parts; it says which of them these are.

    Args:
        parts: The results.
        reason: Why parts that were run with different code may be added up all the same; kept in the result.

    Raises:
        ValueError: They are not parts of one run, each once, with the same versions.
    """
    runs = [part["run"] for part in parts]
    numbers = sorted(int(run["part"].partition("/")[0]) for run in runs)
    total = int(runs[0]["part"].partition("/")[2])
    same = {
        json.dumps(
            [{**run, "part": None}, {**part["versions"], **({"source": None} if reason else {})}], sort_keys=True
        )
        for run, part in zip(runs, parts, strict=True)
    }
    if len(set(numbers)) < len(numbers) or len(same) != 1:
        raise ValueError("give each part of one run once, made with the same versions")
    which = "all" if len(numbers) == total else ", ".join(map(str, numbers)) + " of"
    pages = sum(part["pages"] for part in parts)
    joined: dict[str, Any] = {
        "schema": SCHEMA,
        "run": {**runs[0], "part": f"{which} {total}"},
        "versions": {**parts[0]["versions"], "source": _list_sources(parts)},
        "added_up_although_the_code_changed": reason,
        "seconds": sum(part["seconds"] for part in parts),
        "pages": pages,
        "mean_bytes_per_page": _average_bytes(parts, pages),
        "other_inputs": sum(part["other_inputs"] for part in parts),
        "highest_time_ratio": max(part["highest_time_ratio"] for part in parts),
        "faults": sum(part["faults"] for part in parts),
        "fault_list": [fault for part in parts for fault in part["fault_list"]],
    }
    for name in _SUMS:
        counts: Counter[str] = Counter()
        for part in parts:
            counts.update(part[name])
        joined[name] = {key: round(value, 1) for key, value in sorted(counts.items())}
    joined["html_pages"] = sum(n for kind, n in joined["pages_by_kind"].items() if "html" in kind)
    joined["pages_shown"] = joined["sampled"].get(SHOWN, 0)
    joined["pages_with_both_cores"] = joined["sampled"].get(WITH_BOTH_CORES, 0)
    if runs_of_commands := [n for name, n in joined["sampled"].items() if name.startswith(RAN)]:
        joined["commands"] = sum(runs_of_commands)
        joined["fewest_of_one_command"] = min(runs_of_commands)
    return joined


def _average_bytes(parts: Sequence[dict[str, Any]], pages: int) -> float | None:
    total = sum(part["pages"] * (part["mean_bytes_per_page"] or 0) for part in parts)
    return round(total / pages, 1) if pages else None


def _list_sources(parts: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the parts that were run with each version of the code."""
    found: dict[str, list[str]] = {}
    for part in sorted(parts, key=lambda part: int(part["run"]["part"].partition("/")[0])):
        found.setdefault(str(part["versions"].get("source")), []).append(part["run"]["part"])
    return found


def main(arguments: list[str] | None = None) -> int:
    """Write the joined result; return 1 if there was a fault in it."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.join", description=__doc__)
    parser.add_argument("parts", type=Path, nargs="+")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument(
        "--although", metavar="REASON", help="add up parts of different code, and say why that is right"
    )
    options = parser.parse_args(arguments)
    result = join([json.loads(path.read_text("utf-8")) for path in options.parts], options.although)
    write_artifact(options.output, result)
    print(f"{result['pages']:,} pages, {result['html_pages']:,} of them HTML, {result['faults']} faults")
    return 1 if result["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
