"""Measure the examples of docs/score.md, which stand in docs/effects.toml: no figure there is typed by hand."""

from __future__ import annotations

import tomllib
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from steelyard.pipeline import score_text
from steelyard.scoring.page import PageScore

ROOT = Path(__file__).resolve().parent.parent
AS_OF = date(2026, 7, 1)


@cache
def examples() -> dict[str, dict[str, Any]]:
    return tomllib.loads((ROOT / "docs" / "effects.toml").read_text("utf-8"))


def edited(text: str, example: dict[str, Any]) -> str:
    """The page after the edit."""
    if "replace" in example:
        old, new = example["replace"]
        if text.count(old) != 1:
            raise SystemExit(f"docs/effects.toml: {old!r} stands {text.count(old)} times in its page, not once")
        text = text.replace(old, new)
    if example.get("twice"):
        text = f"{text.rstrip()}\n\n{text}"
    if "append" in example:
        lines = [example["append"].replace("NAME", n) for n in example.get("names", [""])] * example.get("times", 1)
        text = text.rstrip() + "\n\n" + " ".join(lines) + "\n"
    return str(example.get("prepend", "")) + text


def value(page: PageScore, component: str) -> float:
    if component in ("content", "freshness", "score"):
        return float(getattr(page, component))
    return page.readings[component].value


def measure_effect(name: str) -> str:
    """`0.0 → 50.0, score +10.72` for one example."""
    example = examples()[name]
    text = (ROOT / example.get("base", examples()["default"]["base"])).read_text("utf-8")
    before, after = (score_text(t, as_of=AS_OF, evidence=False) for t in (text, edited(text, example)))
    old, new = (value(p, example["component"]) for p in (before, after))
    return f"{old:.1f} → {new:.1f}, score {after.score - before.score:+.2f}"
