"""Descriptions of a page that several reports share, in the same words and the same order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.advice.advise import MAX_LINES
from steelyard.advice.finding import Finding
from steelyard.advice.gains import ADDED_WORDS
from steelyard.components import COMPONENTS
from steelyard.detectors.layered_filter import ManipulationReport
from steelyard.pipeline import PageResult
from steelyard.scoring import editions
from steelyard.scoring.caps import format_cap
from steelyard.scoring.freshness import NEUTRAL
from steelyard.scoring.page import CONTENT_SHARE, FRESHNESS_SHARE, PageScore
from steelyard.support.formatting import format_count
from steelyard.text.dates import URL
from steelyard.text.prose import Prose

if TYPE_CHECKING:
    from steelyard.detectors.layered_filter import ManipulationReport, Signal

SCOPE = "text quality, not a forecast of citations"
LABELS = {c.name: c.label for c in COMPONENTS}
MAX_SUGGESTIONS = 3
MAX_MISSING, MIN_MISSING = 3, 1.0  # components that are named, and the points from which on
MAX_FLAGGED_LINES = 4  # of a detector
UNCONFIRMED_MARK = "†"

Line = tuple[str, str]  # text and style: head, text, good, dim, warn or error


def describe_scoring(page: PageScore) -> str:
    """Name what the numbers depend on besides the page and the date."""
    own = editions.load(page.scoring.edition).weights == page.scoring.weights
    return f"edition {page.scoring.edition}" + ("" if own else f", weights {page.scoring.weights}")


def describe_kind(result: PageResult) -> str:
    """Name the kind of a page, or say that it is uncertain."""
    return f"kind {result.kind.name if result.kind.certain else 'uncertain'}"


def describe_blend(page: PageScore) -> str:
    """Say how content and freshness make the score, and what limits it."""
    content = f"content {page.content:.2f} × {CONTENT_SHARE}"
    fresh = f"freshness {page.freshness:.2f} × {FRESHNESS_SHARE}"
    limit = describe_limit(page)
    return f"{content} + {fresh} = {page.blended:.2f}" + (f", {limit} → {page.score:.2f}" if limit else "")


def describe_dates(result: PageResult) -> str:
    """Say when the page was published and updated, and where it says so."""
    dates = result.dates
    named = (("published", dates.published), ("updated", dates.updated))
    if text := ", ".join(f"{name} {day}" for name, day in named if day is not None):
        return f"{text} (from {'its ' if dates.source != URL else 'the '}{dates.source})"
    return "dated in its text" if result.page.fresh.is_dated else "no date found"


def describe_limit(page: PageScore) -> str:
    """Name the guard that applies or the cap that binds; an empty string when neither does."""
    if page.guard:
        return page.guard
    return f"cap {format_cap(page.cap)}" if page.cap is not None and page.blended > page.cap else ""


def describe_hold(page: PageScore) -> str:
    """Say what holds a score down, by how much, and how much more text would lift that; empty where no cap does."""
    if not page.held:
        return ""
    return f"{page.held.partition(', ')[2]}, {page.blended - page.score:.1f} points lower: {page.lift}"


def describe_prose(prose: Prose) -> str:
    """Say how much of a page is running text."""
    words = format_count(prose.content_words, "different content word")
    return f"{format_count(prose.words, 'word')} of running text ({prose.share:.0%} of the page) with {words}"


def describe_emptiness(result: PageResult) -> str:
    """Say what was found on a page with next to no text, and what to do; an empty string for other pages."""
    page = result.page
    if page.guard != "near-empty":
        return ""
    count = format_count(page.words, "word")
    if not result.extracted:
        return f"{count} found; text in front matter, comments and hidden elements does not count"
    found = "no main text found in this HTML" if page.words == 0 else "next to no main text found in this HTML"
    return f"{count}: {found}; if a script builds the page, save it from the browser once it has loaded, and score that"


def sort_by_potential(page: PageScore) -> list[str]:
    """Return the names of the components, those with the most points still possible first."""
    return sorted(page.readings, key=lambda n: (page.contributions[n] - 100 * page.weights[n], n))


def pick_suggestions(result: PageResult) -> list[Finding]:
    """Return the suggestions to show: the first three."""
    return list(result.suggestions[:MAX_SUGGESTIONS])


def describe_gains(result: PageResult) -> str:
    """Say what the gains of the shown suggestions are, and what the mark behind some of them means."""
    shown = pick_suggestions(result)
    if not shown:
        unsure = "--uncertain adds findings that the page's own words do not make certain"
        held = f", but the score is {hold}" if (hold := describe_hold(result.page)) else ""
        return "" if result.page.guard else f"nothing certain to change first{held}; {unsure}"
    mark = f"; {UNCONFIRMED_MARK} unconfirmed for engines" if any(s.engine_effect for s in shown) else ""
    if not any(s.has_gain for s in shown):
        return f"change first{mark}"
    return f"change first, with the points of each alone by the formula ({ADDED_WORDS} words or a repair{mark})"


def describe_missing(page: PageScore) -> str:
    """Say what the missing points are for, where nothing is certain to change: what a cap holds, then components."""
    hold = describe_hold(page)
    start = f"The score is {hold}. " if hold else ""
    missing = {
        name: 100 * page.weights[name] - page.contributions[name] for name in sort_by_potential(page)[:MAX_MISSING]
    }
    named = [f"{LABELS[name]} ({points:.1f})" for name, points in missing.items() if points >= MIN_MISSING]
    if not named:
        return f"{start}No component misses as much as a point."
    listed = " and ".join([", ".join(named[:-1]), named[-1]]) if len(named) > 1 else named[0]
    return f"{start}Most of the {'other ' if hold else ''}missing points are for {listed}."


def describe_hidden_gain(suggestion: Finding) -> str:
    """Say what a change gains that the cap hides; an empty string where it hides nothing."""
    return f"{suggestion.uncapped or 0.0:+.1f} points once the cap is gone" if suggestion.is_capped else ""


def describe_change(suggestion: Finding) -> str:
    """Say what is wrong and what to do, with a mark where the effect on engines is unconfirmed."""
    hidden = describe_hidden_gain(suggestion)
    mark = (f" ({hidden})" if hidden else "") + (f" {UNCONFIRMED_MARK}" if suggestion.engine_effect else "")
    return f"{suggestion.message}: {suggestion.action}{mark}" if suggestion.action else suggestion.message


def describe_words(suggestion: Finding) -> str:
    """Quote the place of a suggestion and count the others; an empty string for the whole page."""
    words = f"“{suggestion.quote}”" if suggestion.quote else ""
    return ", and ".join(filter(None, (words, describe_more(suggestion))))


def describe_more(suggestion: Finding) -> str:
    """Say how many other places there are; an empty string for none."""
    if not suggestion.more:
        return ""
    count = format_count(len(suggestion.more), "other place")
    return f"{count} or more" if len(suggestion.more) == MAX_LINES else count


def list_notes(result: PageResult) -> list[Line]:
    """List what a reader of the score must know besides the components."""
    page = result.page
    notes: list[Line] = []
    if emptiness := describe_emptiness(result):
        notes.append((emptiness, "warn"))
    if page.guard is not None:
        notes.append((f"guard: {page.guard} ({page.guard_reason}); the components are shown but do not count", "warn"))
    elif page.cap is not None:
        effect = f"{page.held}; {page.lift}" if page.held else "this score is below it anyway"
        what = f"a page of {format_count(page.words, 'word')}" if page.prose is None else describe_prose(page.prose)
        notes.append((f"cap: at most {format_cap(page.cap)} points for {what}; {effect}", "warn"))
    if page.detected != page.language:
        notes.append((f"language: looks like {page.detected!r}, scored as {page.language!r} as requested", "warn"))
    if result.manipulation is not None:
        notes.append((describe_manipulation(result.manipulation), "warn" if result.flagged else "dim"))
    if all(value == NEUTRAL for value in page.fresh.terms.values()):
        why = "its date is too old to count" if page.fresh.is_dated else "the page gives no date or other evidence"
        notes.append((f"freshness: {NEUTRAL:g}, since {why}", "warn"))
    return [*notes, (page.unvalidated.describe(), "dim")]


def describe_manipulation(report: ManipulationReport) -> str:
    """Say in one line what the detectors flag and where, and how often they flag honest pages of this length."""
    flagged = [_describe_signal(report, signal) for signal in report.signals.values() if signal.flagged]
    if not flagged:
        return f"manipulation: nothing found by {len(report.signals)} detectors"
    return f"manipulation: {', '.join(flagged)}; {_describe_rate(report)}"


def _describe_signal(report: ManipulationReport, signal: Signal) -> str:
    numbers = sorted({e.line for e in report.evidence if e.detector == signal.detector})[:MAX_FLAGGED_LINES]
    where = f", line {', '.join(map(str, numbers))}" if numbers else ""
    return f"{signal.detector.replace('_', ' ')} ({signal.statistic:.2f}, flagged above {signal.threshold:.2f}{where})"


def _describe_rate(report: ManipulationReport) -> str:
    """Say how many honest pages as long as this one are flagged."""
    if report.false_positive_rate is None:
        return f"how many honest pages of {report.length} are flagged too is not known for this edition"
    low, high = report.false_positive_interval
    honest = f"{report.false_positive_pages} honest pages of {report.length}"
    return f"{report.false_positive_rate:.1%} of {honest} are flagged too ({low:.1%} to {high:.1%})"
