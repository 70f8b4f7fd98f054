"""What makes an engine unusable from the start, as opposed to EngineFailed, which costs one answer."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.errors import SteelyardError, nearest
from steelyard.support.escape import visible


class EngineUnusable(SteelyardError):
    """The engine cannot be opened; the message says why and what to do."""


class UnknownEngine(EngineUnusable):
    def __init__(self, spec: str, known: Iterable[str], forms: Iterable[str]) -> None:
        name = spec.partition(":")[0]  # what follows may be an address with a password in it
        listed = "; ".join(forms)
        super().__init__(f"no engine {visible(name)!r}{nearest(name, known)} (an engine is one of: {listed})")
