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
from steelyard.errors import SteelyardError, suggest_name
from steelyard.lab.scorers import peers
from steelyard.lab.scorers.base import Range, Scorer
from steelyard.lab.scorers.command import CommandScorer
from steelyard.lab.scorers.endpoint import EndpointScorer
from steelyard.lab.scorers.function import TARGET, FunctionScorer, IsolatedScorer
from steelyard.lab.scorers.own import OwnScorer
from steelyard.scoring import editions, weighting
from steelyard.support.escape import make_visible
from steelyard.support.redaction import strip_credentials

COMMAND = "command:"
FORMS = (
    "a weighting (" + ", ".join(weighting.NAMED) + ", FILE.toml, FILE.json)",
    "a component (`steelyard rules` lists them)",
    "a peer (" + ", ".join(peers.NAMES) + ")",
    "module:function",
    "a command such as 'python3 score.py', or 'command: NAME'",
    "http://… or https://…",
)
_ADVICE: dict[type, str] = {
    CommandScorer: "run it by hand on one page",
    EndpointScorer: "check the address and that the server runs",
}
_URL = re.compile(r"https?://", re.IGNORECASE)
_FILE = re.compile(r"(?P<file>.+\.py):(?P<function>[\w.]+)")


def resolve(
    spec: str,
    *,
    range: Range | None = None,
    timeout: float = 10.0,
    isolate: bool = False,
    folder: Path,
    as_of: date,
    language: str = "en",
) -> Scorer:
    """Return the scorer that `spec` names; raise SteelyardError when it names none.

    `range`, `isolate` and `folder` are for other people's scorers: our own and the peers have a range of their own.
    Our own reads pages as the first edition that has their `language`.
    """
    if not 0 < timeout < math.inf:
        raise SteelyardError(f"the time limit is {timeout:g} s; give a number of seconds above 0")
    spec = spec.strip()
    scorer = _find_named(spec, timeout, as_of, editions.find_for(language).name)
    return scorer or _describe_other(spec, range or Range(), timeout, isolate=isolate, folder=folder)


def _find_named(spec: str, timeout: float, as_of: date, edition: str) -> Scorer | None:
    """Return one of our own scorers or of the peers."""
    if spec in components.NAMES:
        return OwnScorer(component=spec, as_of=as_of, edition=edition)
    if spec in editions.NAMES:
        return OwnScorer.of_edition(spec, as_of)
    if spec in peers.PEERS:
        return peers.PeerScorer(peers.PEERS[spec], timeout, as_of)
    is_file = spec.endswith((".toml", ".json")) and not _URL.match(spec) and (" " not in spec or Path(spec).is_file())
    if spec not in weighting.NAMED and not is_file:
        return None
    weighting.load(spec)  # so that a mistake in the file is reported now
    return OwnScorer(weights=spec, as_of=as_of, edition=edition)


def _describe_other(spec: str, range: Range, timeout: float, *, isolate: bool, folder: Path) -> Scorer:
    """Return the scorer for someone else's URL, function or program."""
    if spec.startswith(COMMAND):
        return CommandScorer(_split(spec.removeprefix(COMMAND)), range, timeout, folder)
    if _URL.match(spec):
        if not re.match(r"\w+://[^/:]", strip_credentials(spec)):
            raise SteelyardError(f"{strip_credentials(spec)!r} names no host; write it as https://host/path")
        return EndpointScorer(spec, range, timeout)
    if (file := _FILE.fullmatch(spec)) and (folder / file["file"]).is_file():
        raise SteelyardError(_explain_modules(spec, Path(file["file"]), file["function"]))
    if TARGET.fullmatch(spec):
        kind = IsolatedScorer if isolate else FunctionScorer
        return kind(target=spec, folder=folder, range=range, timeout=timeout)
    if any(c in spec for c in " \t/\\") or (spec and shutil.which(spec)):
        return CommandScorer(_split(spec), range, timeout, folder)
    near = suggest_name(spec, (*weighting.NAMED, *components.NAMES, *peers.NAMES))
    raise SteelyardError(f"no scorer {make_visible(spec)!r}{near} (a scorer is one of: {'; '.join(FORMS)})")


def _explain_modules(spec: str, file: Path, function: str) -> str:
    """Say what to write in place of a file name: Python imports modules."""
    parts = [part for part in file.with_suffix("").parts if part != "."]
    if all(part.isidentifier() for part in parts):
        advice = f"write {'.'.join(parts)}:{function}"
    else:
        advice = f"write {file.stem}:{function} and run from the folder that holds it"
    return make_visible(f"{spec}: names a file, and a module is needed; {advice}")


def _split(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise SteelyardError(f"{text.strip()!r} cannot be split into words ({error}); check its quotes") from None


def describe_absence(scorer: Scorer, unanswered: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the message for a program or a URL that crashed or timed out on every page, or None.

    Such a scorer cannot be told from one that is not there. A function that always fails is there, and at fault.
    """
    advice = _ADVICE.get(type(scorer))
    if advice is None or not unanswered:
        return None
    reason = unanswered[0]["detail"].removeprefix(f"{scorer.name}: ")
    pages = len({row["source"] for row in unanswered})
    reason = reason if advice in reason else f"{reason}; {advice}"
    return f"{scorer.name}: no page could be scored, of {pages} tried: {reason}"
