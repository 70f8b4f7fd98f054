"""One page as the report, the audit and the app show it: what its score means, what to change, its text, the points."""

from __future__ import annotations

from steelyard.advice.finding import Finding
from steelyard.advice.rule import Rule
from steelyard.advice.rules import RULES
from steelyard.detectors import BY_NAME as DETECTORS
from steelyard.pages import descriptions, section_list
from steelyard.pages.html.parts import Cell, render_fold, render_table
from steelyard.pages.html.points import render_points
from steelyard.pages.html.text import heading_place, render_text
from steelyard.pages.reading import REMEDY_ON_PAGE, describe_doubt, describe_reading, render_outline
from steelyard.pipeline import PageResult
from steelyard.scoring.sections import Section, list_measured
from steelyard.support import escape
from steelyard.support.formatting import format_count

MAX_TEXT = 60_000  # characters of one page shown with its evidence
LEVEL = 4  # of the headings in a page of a report of several
FIRST_SECTIONS = 5  # that are not folded


def render_page(
    result: PageResult, number: int, *, name: str, is_open: bool, longest: int, only_evidence: bool, extra: str = ""
) -> str:
    """Return a page of several; the link to it leads inside, which makes browsers open it.

    Args:
        result: The page.
        number: Its number in the report, from which its ids are made.
        name: How it is called there.
        is_open: Whether it is unfolded.
        longest: The characters of its text that are shown; with 0 it is left out.
        only_evidence: Whether blocks without evidence are folded.
        extra: HTML that the report of a site adds below the score.
    """
    body = render_body(
        result, f"p{number}", LEVEL, longest=longest, only_evidence=only_evidence, extra=_render_title(result) + extra
    )
    return (
        f'<details class="page"{" open" if is_open else ""}><summary><h3>{escape.html(name)}</h3> '
        f'<b>{result.page.score:.1f}</b></summary><div id="p{number}">{body}</div></details>'
    )


def _render_title(result: PageResult) -> str:
    return f'<p class="title">{escape.html(result.page.title)}</p>' if result.page.title else ""


def render_body(
    result: PageResult,
    prefix: str,
    level: int,
    *,
    longest: int = MAX_TEXT,
    only_evidence: bool = False,
    extra: str = "",
) -> str:
    """Return everything about a page.

    Args:
        result: The page.
        prefix: How its ids begin.
        level: Of its headings.
        longest: The characters of its text that are shown; with 0 it is left out.
        only_evidence: Whether blocks without evidence are folded.
        extra: HTML below the score.
    """
    legend = text = ""
    if longest and result.text:
        legend, text = render_text(result, longest, only_evidence=only_evidence, prefix=prefix, level=level + 1)
    elif result.text is None:
        text = '<p class="note">Score this page alone to see its text.</p>'
    work = render_suggestions(result, prefix, text, level, is_brief=only_evidence)
    if text:
        back = f'<p class="back"><a href="#{prefix}-first">↑ Back to what to change</a></p>' if work else ""
        work += f'<h{level}>The text</h{level}><div class="marked">{legend}{text}{back}</div>'
    opens = "" if only_evidence else " Open one to see how it was counted."
    points = f'<p class="dim">Most still possible first.{opens}</p>{render_points(result, is_brief=only_evidence)}'
    facts = (
        ("points", "Points", "" if result.page.guard else points),
        ("sections", "Sections", _render_sections(result, prefix, text)),
        ("read", "How it was read", _render_facts(result) + render_outline(result.outline)),
    )
    shown = [(f"{prefix}-{name}", title, inside) for name, title, inside in facts if inside]
    jumps = " · ".join(f'<a href="#{place}">{title}</a>' for place, title, _ in shown)
    beside = "".join(f'<h{level} id="{place}">{title}</h{level}>{inside}' for place, title, inside in shown)
    return (
        f'{render_score(result)}{render_flags(result, level)}{extra}<p class="jumps">Below the text: {jumps}</p>'
        f'<div class="body"><div class="work">{work}</div><div class="facts">{beside}</div></div>'
    )


def render_score(result: PageResult) -> str:
    """Return the score, what it means, and a doubt about the reading."""
    page, placed = result.page, result.page.placement
    rating, picture = "", ""
    if page.rating and placed:
        rating = f' <b class="rating {page.rating}">{page.rating}</b>'
        fair, good, here = placed.fair_from, placed.good_from, min(99.3, page.content)
        picture = (
            f'<p class="scale-of">Its content, {page.content:.1f}, beside other pages of its length</p>'
            '<svg class="thirds" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
            f'<rect class="poor" width="{fair:.1f}" height="6"/><rect class="fair" x="{fair:.1f}" '
            f'width="{good - fair:.1f}" height="6"/><rect class="good" x="{good:.1f}" width="{100 - good:.1f}" '
            f'height="6"/><rect class="here" x="{max(0.0, here - 0.35):.2f}" width=".7" height="6"/></svg>'
        )
    held = f": {page.held}; {page.lift}" if page.held else ""
    meaning = describe_score(result)
    doubt = describe_doubt(result.reading, REMEDY_ON_PAGE)
    return (
        (f'<p class="error">{escape.html(doubt)}</p>' if doubt else "")
        + f'<p class="score"><b>{page.score:.1f}</b> <span>of 100{escape.html(held)}</span>{rating}</p>{picture}'
        f'<p class="meaning">{escape.html(meaning[:1].upper() + meaning[1:])}.</p>'
    )


def describe_score(result: PageResult) -> str:
    """Say in one sentence what the score means; where a guard fixes it, why."""
    page = result.page
    return page.meaning or descriptions.describe_emptiness(result) or f"{page.guard}: {page.guard_reason}"


def render_flags(result: PageResult, level: int = LEVEL) -> str:
    """Return what the detectors that flag the page have found, in words."""
    items = "".join(f"<li>{escape.html(explain_flag(name))}</li>" for name in result.flagged)
    return f'<h{level}>Please check</h{level}><ul class="flags">{items}</ul>' if items else ""


def explain_flag(name: str) -> str:
    """Name a detector and say what it finds."""
    return f"{name.replace('_', ' ')}: {DETECTORS[name].about.rstrip('.')}" if name in DETECTORS else name


def _render_sections(result: PageResult, prefix: str, text: str) -> str:
    """Return the sections with the weakest first; an empty string where there are none to compare."""
    sections = section_list.list_shown(result)
    measured = list_measured(sections)
    if not measured:
        return ""
    named = [section for section in sections if section.heading]
    places = {section.start: heading_place(prefix, at) for at, section in enumerate(named, start=1)}
    rows = [_make_section(s, places.get(s.start, ""), text) for s in measured]
    heads = ("section", "content", "evidence")
    first = render_table("sections", "", heads, rows[:FIRST_SECTIONS], numbers="1")
    rest = rows[FIRST_SECTIONS:]
    more = render_fold(f"{len(rest)} stronger", render_table("sections", "", heads, rest, numbers="1")) if rest else ""
    left = len(sections) - len(measured)
    gaps = f" {format_count(left, 'section')} not rated: {section_list.describe_gaps(sections)[3:]}." if left else ""
    about = f"The weakest first: what each would score for content as a page of its own.{gaps}"
    return f'<p class="dim">{escape.html(about)}</p>{first}{more}'


def _make_section(section: Section, place: str, text: str) -> list[str]:
    name = escape.html(section_list.name_section(section))
    if place and f'id="{place}"' in text:
        name = f'<a href="#{place}">{name}</a>'
    words = f' <span class="dim">{format_count(section.words, "word")}</span>'
    content = Cell(f"{section.content:.1f}", section.content or 0.0)
    return [name + words, content, escape.html(section_list.describe_evidence(section))]


def render_suggestions(
    result: PageResult, prefix: str, text: str, level: int = LEVEL, *, is_brief: bool = False
) -> str:
    """Return the suggestions, each as a link to its place where the text shows that.

    Every suggestion has an id: that of its place in the text, else its own.

    Args:
        result: The page.
        prefix: How the ids of the places begin.
        text: The page's text as HTML.
        level: Of the heading.
        is_brief: Whether the rules are only named, which keeps a report of many pages small.
    """
    if result.page.guard:
        return ""
    shown = descriptions.pick_suggestions(result)
    if not shown:
        about = descriptions.describe_missing(result.page)
        return f'<h{level} id="{prefix}-first">Nothing certain to change</h{level}><p>{escape.html(about)}</p>'
    items = "".join(
        _render_item(s, f"{prefix}-{at}", text, result, is_brief=is_brief) for at, s in enumerate(shown, start=1)
    )
    title = "Change this first" if len(shown) == 1 else "Change these first"
    return f'<h{level} id="{prefix}-first">{title}</h{level}><ol class="suggestions">{items}</ol>'


def _render_item(suggestion: Finding, place: str, text: str, result: PageResult, *, is_brief: bool) -> str:
    is_marked = f'id="{place}"' in text
    own = "" if is_marked else f' id="{place}"'
    action = f"{suggestion.why}: {suggestion.action}" if suggestion.why else suggestion.action
    action = escape.html(action[:1].upper() + action[1:])
    action = f'<a class="jump" href="#{place}">{action}</a>' if is_marked else f"<b>{action}</b>"
    gain = f' <b class="gain">{suggestion.gain:+.1f} points</b>' if suggestion.has_gain else ""
    if hidden := descriptions.describe_hidden_gain(suggestion):
        gain += f' <span class="gain">{hidden}</span>'
    why = escape.html(_describe(suggestion, extracted=result.extracted))
    rule = f"<code>{escape.html(suggestion.rule)}</code>" if is_brief else ""
    about = "" if is_brief else _explain_rule(RULES[suggestion.rule])
    span = _describe_span(suggestion, extracted=result.extracted)
    return f'<li{own}{span}>{action}{gain} <span class="dim">{why} {rule}</span>{about}</li>'


def _explain_rule(rule: Rule) -> str:
    """Return what a rule is about, folded away, with its name for `steelyard rules` and for silencing it."""
    certain = f" Certain: {rule.certain_when}" if rule.certain_when else ""
    inside = (
        f"<p>{escape.html(f'{rule.what} {rule.why}')}</p><p>{escape.html(f'How it is found: {rule.how}{certain}')}</p>"
    )
    return render_fold(f"about the rule {rule.name}", inside)


def _describe_span(suggestion: Finding, *, extracted: bool) -> str:
    """Return where a suggestion's words are in the text as it was written, for editors that can select them."""
    if extracted or not suggestion.quote:
        return ""
    return f' data-start="{suggestion.start}" data-end="{suggestion.end}"'


def _describe(suggestion: Finding, *, extracted: bool) -> str:
    line = "" if extracted else f"line {suggestion.line}"  # lines of extracted text are in no file
    words = f"“{suggestion.quote}”" if suggestion.quote else ""
    count = descriptions.describe_more(suggestion)
    counted = f"what would count: {suggestion.counted}" if suggestion.counted else ""
    unsure = "whether engines cite it more is unconfirmed" if suggestion.engine_effect else ""
    return " ".join(f"{part[:1].upper()}{part[1:]}." for part in (words, line, count, counted, unsure) if part)


def _render_facts(result: PageResult) -> str:
    """Return what was read, when it is from, how the score follows, and what else a reader must know."""
    page = result.page
    kind = result.kind.name if result.kind.certain else "uncertain, so advice is what suits any kind"
    facts = [
        ("Length", f"{format_count(page.words, 'word')}, language {page.language}"),
        ("Kind of page", kind),
        ("Date", descriptions.describe_dates(result)),
        ("Scored", f"as of {page.as_of}, {descriptions.describe_scoring(page)}"),
    ]
    if not page.guard:
        facts.append(("Score", descriptions.describe_blend(page)))
    else:
        facts.append(("Score", f"fixed, since the page is {page.guard} ({page.guard_reason})"))
    if result.reading and not describe_doubt(result.reading):
        facts.insert(0, ("From HTML", describe_reading(result.reading)))
    listed = "".join(f"<dt>{term}</dt><dd>{escape.html(about)}</dd>" for term, about in facts)
    notes = [] if page.guard else [note for note, style in descriptions.list_notes(result) if style == "warn"]
    if not page.held:
        notes = [note for note in notes if not note.startswith("cap:")]
    items = "".join(f"<li>{escape.html(note)}</li>" for note in notes)
    return f'<dl class="keys">{listed}</dl>' + (f'<ul class="notes">{items}</ul>' if items else "")
