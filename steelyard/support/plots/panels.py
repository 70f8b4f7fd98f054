"""What a plot is made of: named series of values, and the panels they stand in. Nothing here draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Number = float | None
Rule = tuple[float, str]  # a value and its label in the legend; "" for none
STYLES = ("line", "points", "bars")


@dataclass(frozen=True, slots=True)
class Series:
    """One named sequence of values; a None among them is a gap, never a zero.

    `low` and `high` are an interval around each value, which need not hold it. `marks` says which points are filled
    (True) and which are open; `open_name` is what the legend calls the open ones. Series of one name look alike in
    all panels. With the style "bars" x holds the values and their interval, y the names of the bars from the top.
    """

    name: str
    x: Sequence[Number]
    y: Sequence[Number] | Sequence[str]
    low: Sequence[Number] | None = None
    high: Sequence[Number] | None = None
    marks: Sequence[bool] | None = None
    style: str = "line"
    open_name: str = ""

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise ValueError(f"series {self.name!r}: style {self.style!r} is none of {', '.join(STYLES)}")
        for name in ("y", "low", "high", "marks"):
            other = getattr(self, name)
            if other is not None and len(other) != len(self.x):
                raise ValueError(f"series {self.name!r}: {len(self.x)} values in x and {len(other)} in {name}")
        if (self.low is None) != (self.high is None):
            raise ValueError(f"series {self.name!r}: an interval needs both low and high")


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes. `rules` are horizontal lines, `uprights` vertical ones; x_label stands below, y_label left."""

    title: str
    series: Sequence[Series]
    x_label: str = ""
    y_label: str = ""
    rules: Sequence[Rule] = ()
    uprights: Sequence[Rule] = ()
    x_ticks: Sequence[float | tuple[float, str]] | None = None
    log_x: bool = False

    def __post_init__(self) -> None:
        kinds = {s.style == "bars" for s in self.series}
        if len(kinds) > 1:
            raise ValueError(f"panel {self.title!r}: bars and lines cannot share a panel")
        if self.log_x and any(x is not None and x <= 0 for s in self.series for x in s.x):
            raise ValueError(f"panel {self.title!r}: a logarithmic axis has no place for x <= 0")

    @property
    def lying(self) -> bool:
        """Whether it shows horizontal bars."""
        return any(s.style == "bars" for s in self.series)
