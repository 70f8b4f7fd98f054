"""How much better one edition agrees with the labels of every known set than the other, on the same documents."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from steelyard.lab.agreement import EDITION_PAIRS
from steelyard.lab.agreement.columns import fill_columns
from steelyard.lab.agreement.labels import GRADED, KNOWN
from steelyard.lab.agreement.measures import compare
from steelyard.lab.protocol.gates import DRAWS

PAIR = EDITION_PAIRS["score"]


def compare_with_people(folder: Path, *, as_of: date, seed: int, quiet: bool) -> dict[str, dict[str, Any]]:
    """Return by set the agreement of both editions' scores and the paired difference; of a missing set its file.

    A set counts as a whole, by its first target: its parts are parts of the same documents. The figures are those of
    `lab agreement`, which draws the same resamples.
    """
    found: dict[str, dict[str, Any]] = {}
    for known in KNOWN:
        files = [folder / name for name in known.files]
        by_people = known.name != GRADED
        if missing := [name for name, path in zip(known.files, files, strict=True) if not path.is_file()]:
            found[known.name] = {"by_people": by_people, "missing": missing[0]}
            continue
        of, target = (opened := known.read(files)), opened.targets[0]
        columns = fill_columns([of], {}, as_of, quiet=quiet).scorers[of.name]
        compared = compare(
            target.labels,
            {name: columns[name] for name in PAIR},
            target.measure,
            pairs=[PAIR],
            draws=DRAWS,
            seed=f"{seed}|{of.name}|{target.name}",
        )
        found[of.name] = {
            "by_people": by_people,
            "measure": target.measure,
            "candidate": compared["scorers"][PAIR[0]],
            "reference": compared["scorers"][PAIR[1]],
            "difference": compared["differences"][" - ".join(PAIR)],
        }
    return found
