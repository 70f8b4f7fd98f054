"""Programs that are not ours, found where the user's PATH says and nowhere else."""

from __future__ import annotations

import os
import shutil


def find_program(name: str) -> str | None:
    """Return the path of a program, or None.

    Entries of PATH that depend on the working directory are left out, and Windows' habit of looking there first: the
    directory may belong to somebody who put a program of that name into it.
    """
    folders = [folder for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(folder)]
    for folder in folders:
        # A name with a directory is looked up there and nowhere else.
        if path := shutil.which(os.path.join(folder, name)):
            return path
    return None
