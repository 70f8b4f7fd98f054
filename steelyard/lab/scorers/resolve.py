"""From what a user types to a scorer."""

from __future__ import annotations

import math
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from steelyard import components
from steelyard.lab.scorers import peers
from steelyard.lab.scorers.base import Range, Scorer
from steelyard.lab.scorers.command import Command
from steelyard.lab.scorers.endpoint import Endpoint
from steelyard.lab.scorers.errors import TARGET, FileNamed, NeverAnswered, ScorerUnusable, UnknownScorer
from steelyard.lab.scorers.function import Function
from steelyard.lab.scorers.isolated import Isolated
from steelyard.lab.scorers.ours import Ours
from steelyard.scoring import weighting
from steelyard.support.net import shown

COMMAND = "command:"
FORMS = (
    "a weighting (" + ", ".join(weighting.NAMED) + ", FILE.toml, FILE.json)",
    "a component (`steelyard components` lists them)",
    "a peer (" + ", ".join(peers.NAMES) + ")",
    "module:function",
    "a command such as 'python3 score.py', or 'command: NAME'",
    "http://… or https://…",
)
OUTSIDE = {Command: "run it by hand on one page", Endpoint: "check the address and that the server runs"}
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_FILE = re.compile(r"(?P<file>.+\.py):(?P<function>[\w.]+)")


def resolve(
    spec: str, *, range: Range | None = None, timeout: float = 10.0, isolate: bool = False, folder: Path, as_of: date
) -> Scorer:
    """The scorer that `spec` names. Ours and the peers have ranges of their own; `range` is for the others."""
    scale = checked(range or Range())
    if not 0 < timeout < math.inf:
        raise ScorerUnusable(f"the time limit is {timeout:g} s; give a number of seconds above 0")
    spec = spec.strip()
    return _named(spec, timeout, as_of) or _outside(spec, scale, timeout, isolate=isolate, folder=folder)


def checked(scale: Range) -> Range:
    """The range itself, unless it is empty or endless."""
    if not (math.isfinite(scale.low) and math.isfinite(scale.high) and scale.low < scale.high):
        raise ScorerUnusable(f"the range {scale.low:g} to {scale.high:g} is empty; give the lower bound first")
    return scale


def _named(spec: str, timeout: float, as_of: date) -> Scorer | None:
    """One of ours or of the peers."""
    if spec in weighting.NAMED:
        return Ours(weights=spec, as_of=as_of)
    if spec.endswith((".toml", ".json")) and not _ADDRESS.match(spec) and (" " not in spec or Path(spec).is_file()):
        weighting.load(spec)  # a mistake in the file is told now
        return Ours(weights=spec, as_of=as_of)
    if spec in components.NAMES:
        return Ours(component=spec, as_of=as_of)
    if spec in peers.NAMES:
        return peers.peer(spec).scorer(timeout=timeout, as_of=as_of)
    return None


def _outside(spec: str, scale: Range, timeout: float, *, isolate: bool, folder: Path) -> Scorer:
    """Somebody's address, function or program."""
    if spec.startswith(COMMAND):
        return Command(_split(spec.removeprefix(COMMAND)), scale, timeout, folder)
    if _ADDRESS.match(spec):
        if not re.match(r"\w+://[^/:]", shown(spec)):
            raise ScorerUnusable(f"{shown(spec)!r} names no host; write it as https://host/path")
        return Endpoint(spec, scale, timeout)
    if (file := _FILE.fullmatch(spec)) and (folder / file["file"]).is_file():
        raise FileNamed(spec, Path(file["file"]), file["function"])
    if TARGET.fullmatch(spec):
        kind = Isolated if isolate else Function
        return kind(target=spec, folder=folder, range=scale, timeout=timeout)
    if any(c in spec for c in " \t/\\") or (spec and shutil.which(spec)):
        return Command(_split(spec), scale, timeout, folder)
    raise UnknownScorer(spec, (*weighting.NAMED, *components.NAMES, *peers.NAMES), FORMS)


def _split(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise ScorerUnusable(f"{text.strip()!r} cannot be split into words ({error}); check its quotes") from None


def absent(scorer: Scorer, crashed: Sequence[Mapping[str, Any]]) -> NeverAnswered | None:
    """What to say of a program or an address that crashed on every page; a function that did is there, and at fault."""
    advice = OUTSIDE.get(type(scorer))
    if advice is None or not crashed:
        return None
    return NeverAnswered(scorer.name, len({row["source"] for row in crashed}), crashed[0]["detail"], advice)
