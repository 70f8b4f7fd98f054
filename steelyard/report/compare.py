"""Two versions of a page: points per component before and after, spans gained and lost."""

from __future__ import annotations

from collections import Counter
from typing import Any

from steelyard.components import NAMES
from steelyard.lab.study.wording import signed
from steelyard.pipeline import PageResult
from steelyard.report.scope import SCOPE
from steelyard.support import escape
from steelyard.support.table import Column, Table

PATTERNED = ("quotable_density", "entity_density", "statistic_density", "citation_f1")
SHOWN = 8


def record(old: PageResult, new: PageResult) -> dict[str, Any]:
    """The comparison for machines."""
    a, b = old.page, new.page
    components: dict[str, dict[str, Any]] = {
        n: {
            "old_value": a.readings[n].value,
            "new_value": b.readings[n].value,
            "old_points": a.contributions[n],
            "new_points": b.contributions[n],
            "change": b.contributions[n] - a.contributions[n],
        }
        for n in NAMES
    }
    for name in PATTERNED:
        gained, lost = spans(old, new, name)
        components[name] |= {"gained": gained, "lost": lost}
    steps = {
        key: {"old": getattr(a, key), "new": getattr(b, key)}
        for key in ("score", "content", "freshness", "words", "cap", "guard", "language")
    }
    return {"old": old.source, "new": new.source, **steps, "change": b.score - a.score, "components": components}


def spans(old: PageResult, new: PageResult, name: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What the new version matches and the old does not, and the reverse; by words, each with its line."""
    before, after = _texts(old, name), _texts(new, name)
    return _beyond(after, before), _beyond(before, after)


def _texts(result: PageResult, name: str) -> list[tuple[str, dict[str, Any]]]:
    text = result.text or ""
    entries = []
    for e in result.page.readings[name].evidence:
        words = " ".join(text[e.start : e.end].split())
        entries.append((words.lower(), {"line": e.line, "pattern": e.pattern, "text": words[:200]}))
    return entries


def _beyond(these: list[tuple[str, dict[str, Any]]], those: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    left = Counter(key for key, _ in those)
    extra = []
    for key, entry in these:
        if left[key] > 0:
            left[key] -= 1
        else:
            extra.append(entry)
    return extra


def lines(old: PageResult, new: PageResult) -> list[str]:
    """The comparison for people, the largest change first."""
    data = record(old, new)
    change = data["change"]
    verdict = "no change" if abs(change) < 0.005 else f"{signed(change)} points"
    names = f"{escape.visible(old.source)} → {escape.visible(new.source)}"
    out = [f"{names}: {old.page.score:.2f} → {new.page.score:.2f} ({verdict})", ""]
    columns = [Column("component"), *(Column(c, ".2f", right=True) for c in ("old", "new", "old points", "new points"))]
    columns.append(Column("change", right=True))
    rows = [
        [n, c["old_value"], c["new_value"], c["old_points"], c["new_points"], signed(c["change"])]
        for n, c in sorted(data["components"].items(), key=lambda item: (-abs(item[1]["change"]), item[0]))
    ]
    out += [*Table(columns, rows).to_terminal(), ""]
    for key in ("content", "freshness", "words", "cap", "guard"):
        a, b = data[key]["old"], data[key]["new"]
        out.append(f"{key:<10} {_shown(a)} → {_shown(b)}")
    for name in PATTERNED:
        out += _changes(data["components"][name], name)
    how = new.page
    return [*out, "", f"as of {how.as_of}, weights {how.scoring.weights} {how.scoring.hash}; {SCOPE}"]


def _changes(component: dict[str, Any], name: str) -> list[str]:
    out: list[str] = []
    for sign, key in (("+", "gained"), ("-", "lost")):
        entries = component[key]
        out += [
            f"{sign} {name} line {e['line']}: {escape.fit(e['text'], min(60, max(1, len(e['text'])))).rstrip()}"
            for e in entries[:SHOWN]
        ]
        if len(entries) > SHOWN:
            out.append(f"{sign} {name}: and {len(entries) - SHOWN} more (--format json has all)")
    return ["", *out] if out else []


def _shown(value: Any) -> str:
    return "none" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
