"""Lines that are printed once for a user."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from steelyard.terminal.output import warn_once


def test_a_line_is_printed_once_on_a_terminal_and_never_in_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    warn_once("x", "there is more")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    warn_once("x", "there is more")
    warn_once("x", "there is more")
    assert capsys.readouterr().err == "steelyard: there is more\n"
