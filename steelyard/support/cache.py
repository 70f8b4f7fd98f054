"""Where caches live: $STEELYARD_CACHE, else $XDG_CACHE_HOME/steelyard, else ~/.cache/steelyard."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "STEELYARD_CACHE"


def folder() -> Path:
    """The folder of all caches; it is not made here."""
    own = os.environ.get(VARIABLE)
    if own:
        return Path(own).expanduser().absolute()
    shared = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(shared):  # the XDG specification has relative paths ignored
        return Path(shared) / "steelyard"
    return Path("~/.cache/steelyard").expanduser()
