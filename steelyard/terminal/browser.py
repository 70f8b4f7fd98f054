"""Open a report in the user's browser."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from steelyard.terminal.output import emit, warn


@contextmanager
def view_report(output: str | None) -> Iterator[str]:
    """Yield the file for a report; once it is written, print its path and open it.

    Args:
        output: The file, or None for a new one among the temporary files, which only this user can read.
    """
    path = output
    if path is None:
        descriptor, path = tempfile.mkstemp(prefix="steelyard-", suffix=".html")
        os.close(descriptor)
    try:
        yield path
    except BaseException:
        if output is None:
            os.unlink(path)
        raise
    emit(f"{path}\n")
    import webbrowser  # loaded only when requested

    if not webbrowser.open(Path(path).resolve().as_uri()):
        warn("steelyard: no browser could be started; open the file in one")
