"""Results as they were, from entries of `steelyard score --format json` without evidence, such as a store keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from steelyard.advice.finding import Finding
from steelyard.advice.kinds import NOT_DECIDED, PageKind
from steelyard.advice.rules import RULES
from steelyard.components.base import Reading
from steelyard.detectors.layered_filter import ManipulationReport, Signal
from steelyard.errors import SteelyardError
from steelyard.native.core import choose_core
from steelyard.pages.reading import from_entry
from steelyard.pipeline import Page, PageResult, measure_pages
from steelyard.scoring import weighting
from steelyard.scoring.freshness import NEUTRAL, Freshness
from steelyard.scoring.page import PageScore, Scoring
from steelyard.scoring.reference import Placement
from steelyard.scoring.unvalidated import Unvalidated
from steelyard.settings import Settings
from steelyard.text import html
from steelyard.text.dates import UNDATED, PageDates
from steelyard.text.directives import strip_directives
from steelyard.text.prose import Prose


def name_rule(move: Mapping[str, Any]) -> str:
    """Return the rule of a suggestion; older entries name only its component, which has the same name."""
    return str(move.get("rule") or move["component"])


def restore_result(entry: Mapping[str, Any], scoring: Mapping[str, str]) -> PageResult:
    """Return the result of an entry, without text and evidence.

    Args:
        entry: The entry of a page; those of earlier versions may lack some keys.
        scoring: What all pages of the run share: edition, weights and date.
    """
    dates = PageDates.from_dict(entry["dates"]) if entry.get("dates") else UNDATED
    kind = entry.get("kind")
    return PageResult(
        source=entry["source"],
        page=_restore_score(entry, scoring, is_dated=bool(dates.known)),
        findings=tuple(_restore_finding(move) for move in entry["moves"] if name_rule(move) in RULES),
        extracted=entry.get("offsets") == "extracted",
        kind=PageKind(kind["name"], kind["certain"], tuple(kind.get("because", ()))) if kind else NOT_DECIDED,
        url=entry.get("url"),
        manipulation=_restore_report(entry["manipulation"]) if entry.get("manipulation") else None,
        dates=dates,
        reading=from_entry(entry),
    )


def find_evidence(result: PageResult, text: str, scoring: Mapping[str, str]) -> PageResult:
    """Return a restored result with its text, and with the evidence in it if it is still scored as it was."""
    shown = replace(result, text=text)
    name = scoring["weights"]
    if name not in weighting.NAMED:  # a user's own file, which may be another one by now
        return shown
    try:
        settings = Settings.resolve(
            edition=scoring["edition"], weights=name, as_of=scoring["as_of"], language=result.page.language,
            detect=result.manipulation is not None, core=choose_core(),
        )  # fmt: skip
        (measured,) = measure_pages([_open(result, text)], settings)
    except SteelyardError:
        return shown
    if isinstance(measured, Exception) or measured.score.content != result.page.content:
        return shown
    score = replace(measured.score, detected=result.page.detected, scoring=result.page.scoring)
    found = measured.manipulation.evidence if measured.manipulation else ()
    report = result.manipulation and replace(result.manipulation, evidence=found)
    return replace(shown, page=score, manipulation=report)


def _open(result: PageResult, text: str) -> Page:
    title, dates, url = result.page.title, result.dates, result.url
    if result.extracted:
        return Page(result.source, text, title, dates, url, extractor=html.version())
    stripped = strip_directives(text)
    hidden = stripped if stripped.text != text else None
    return Page(result.source, stripped.text, title, dates, url, stripped=hidden)


def _restore_score(entry: Mapping[str, Any], scoring: Mapping[str, str], *, is_dated: bool) -> PageScore:
    components = entry["components"]
    readings = {
        name: Reading(name, part["value"], part["degenerate"], part.get("parts", {}))
        for name, part in components.items()
    }
    terms = entry.get("freshness_terms", {})
    dated = is_dated or terms.get("date", NEUTRAL) != NEUTRAL
    placement, prose = entry.get("reference"), entry.get("prose")
    return PageScore(
        **{key: entry[key] for key in ("score", "content", "freshness", "words", "cap", "guard", "guard_reason")},
        readings=readings,
        contributions={name: part["points"] for name, part in components.items()},
        weights={name: part["weight"] for name, part in components.items()},
        language=entry["language"],
        detected=entry.get("detected_language", entry["language"]),
        title=entry["title"],
        as_of=date.fromisoformat(scoring["as_of"]),
        scoring=Scoring(scoring["edition"], scoring["weights"], "", "", 0, entry.get("hash", "")),
        fresh=Freshness(entry["freshness"], terms, (), dated),
        unvalidated=Unvalidated(**entry["unvalidated"]),
        placement=Placement(**placement) if placement else None,
        prose=Prose(**prose) if prose else None,
    )


def _restore_finding(move: Mapping[str, Any]) -> Finding:
    start, end = move.get("span") or (0, 0)
    line, column, rule = move["line"], move.get("column", 1), name_rule(move)
    return Finding(
        rule=rule,
        component=move["component"],
        topic=RULES[rule].topic,
        why=move.get("why") or move.get("message", ""),
        start=start, end=end, line=line, column=column, end_line=line, end_column=column,
        quote=move.get("quote", ""),
        action=move["action"],
        counted=move.get("counted", ""),
        gain=move["gain"],
        uncapped=move["gain"],
        more=tuple(move.get("more", ())),
    )  # fmt: skip


def _restore_report(entry: Mapping[str, Any]) -> ManipulationReport:
    keys = ("suspicion", "threshold", "flagged", "false_positive_rate")
    return ManipulationReport(
        **{key: entry[key] for key in keys},
        signals={name: Signal(name, **signal) for name, signal in entry["signals"].items()},
        evidence=(),
        evades=(),
        false_positive_interval=tuple(entry.get("false_positive_interval", (0.0, 1.0))),
        honest_kinds=tuple(entry.get("honest_kinds", ())),
        false_positive_pages=entry.get("false_positive_pages", 0),
        length=entry.get("length", ""),
    )
