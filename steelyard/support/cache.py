"""Find the caches: $STEELYARD_CACHE, else $XDG_CACHE_HOME/steelyard, else ~/.cache/steelyard."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "STEELYARD_CACHE"


def find_folder() -> Path:
    """Return the folder of all caches; it may not exist yet."""
    own = os.environ.get(VARIABLE)
    if own:
        return Path(own).expanduser().absolute()
    shared = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(shared):  # the XDG specification says to ignore relative paths
        return Path(shared) / "steelyard"
    return Path("~/.cache/steelyard").expanduser()
