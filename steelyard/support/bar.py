"""A value in [0, 100] as a bar of blocks."""

from __future__ import annotations

_EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(value: float, columns: int = 20) -> str:
    """`columns` characters, filled in eighths, the rest dotted."""
    eighths = round(max(0.0, min(100.0, value)) / 100 * columns * 8)
    full, rest = divmod(eighths, 8)
    drawn = "█" * full + (_EIGHTHS[rest] if rest else "")
    return drawn + "·" * (columns - len(drawn))
