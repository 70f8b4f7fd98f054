"""What a plot is made of: named series of values, and the panels that show them. Nothing here draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Number = float | None
Line = tuple[float, str]  # a value and its label in the legend; "" for none
STYLES = ("line", "bars")


@dataclass(frozen=True, slots=True)
class Series:
    """One named sequence of values; None is a gap, never a zero.

    `low` and `high` are an interval for each value, which need not contain it. `filled` says which points are filled
    (True) and which are open; `open_label` is the legend's name for the open ones. Series of one name look alike in
    all panels. With the style "bars", x holds the values and their interval, y the names of the bars from the top.
    """

    name: str
    x: Sequence[Number]
    y: Sequence[Number] | Sequence[str]
    low: Sequence[Number] | None = None
    high: Sequence[Number] | None = None
    filled: Sequence[bool] | None = None
    style: str = "line"
    open_label: str = ""

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise ValueError(f"series {self.name!r}: style {self.style!r} is none of {', '.join(STYLES)}")
        for name in ("y", "low", "high", "filled"):
            other = getattr(self, name)
            if other is not None and len(other) != len(self.x):
                raise ValueError(f"series {self.name!r}: {len(self.x)} values in x and {len(other)} in {name}")
        if (self.low is None) != (self.high is None):
            raise ValueError(f"series {self.name!r}: an interval needs both low and high")


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes with its series, and labelled lines across it; series of bars are horizontal."""

    title: str
    series: Sequence[Series]
    x_label: str = ""
    y_label: str = ""
    horizontal_lines: Sequence[Line] = ()
    vertical_lines: Sequence[Line] = ()
    x_ticks: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if len({s.style == "bars" for s in self.series}) > 1:
            raise ValueError(f"panel {self.title!r}: bars and lines cannot share a panel")

    @property
    def has_bars(self) -> bool:
        return any(s.style == "bars" for s in self.series)
