"""What makes a scorer unusable from the start, as opposed to ScorerFailed, which costs one text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from steelyard.errors import SteelyardError, nearest
from steelyard.support.escape import visible

_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
TARGET = re.compile(f"{_DOTTED}:{_DOTTED}")


class ScorerUnusable(SteelyardError):
    """The scorer cannot be started; the message says why and what to do."""


class UnknownScorer(ScorerUnusable):
    def __init__(self, spec: str, known: Iterable[str], forms: Iterable[str]) -> None:
        listed = "; ".join(forms)
        super().__init__(f"no scorer {visible(spec)!r}{nearest(spec, known)} (a scorer is one of: {listed})")


class FileNamed(ScorerUnusable):
    """A function was asked for by its file, and Python imports modules."""

    def __init__(self, spec: str, file: Path, function: str) -> None:
        inside = [part for part in file.with_suffix("").parts if part != "."]
        if all(part.isidentifier() for part in inside):
            advice = f"write {'.'.join(inside)}:{function}"
        else:
            advice = f"write {file.stem}:{function} and run from the folder that holds it"
        super().__init__(f"{visible(spec)}: names a file, and a module is needed; {visible(advice)}")


class NeverAnswered(ScorerUnusable):
    """A program or an address failed on every page: it cannot be told from one that is not there."""

    def __init__(self, name: str, pages: int, detail: str, advice: str) -> None:
        reason = detail.removeprefix(f"{name}: ")
        told = reason if advice in reason else f"{reason}; {advice}"
        super().__init__(f"{name}: no page could be scored, of {pages} tried: {told}")


def check_target(target: str) -> None:
    """Refuse what is not `module:function`, with dots allowed on both sides."""
    if not TARGET.fullmatch(target):
        raise ScorerUnusable(
            f"{visible(target)!r} does not name a function; write module:function, for example my_module:my_scorer"
        )


def unloadable(target: str, folder: str, why: Mapping[str, Any]) -> ScorerUnusable:
    """The sentence for a target that could not be loaded, from what child.Unloadable says of it."""
    name, detail = visible(str(why["name"])), visible(str(why["detail"]))
    match why["kind"]:
        case "no module":
            reason = f"no module {name!r} in {folder} or in this Python's packages; run from the folder that holds it"
        case "module fails":
            reason = f"importing {name!r} failed: {detail}; mend the module, or install what it needs"
        case "no attribute":
            reason = f"{detail} has no {name!r}{nearest(name, why['near'])}"
        case "not callable":
            reason = f"{name!r} is {detail}, and a function is needed; name one that takes a text"
        case "shadowed":
            reason = f"another module {name!r} is loaded already ({detail}); rename yours"
        case _:
            reason = detail
    return ScorerUnusable(f"{target}: {reason}")
