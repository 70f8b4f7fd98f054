"""`predict`: which of some pages fits a query, by words and forms."""

from __future__ import annotations

from steelyard.errors import MissingExtra, PageUnreadable, SteelyardError
from steelyard.inputs.page_ref import PageRef
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.predict import detect_main_language, rank_pages, render_text
from steelyard.pipeline import AUTO, PageError, read_page
from steelyard.report import schema_parts
from steelyard.report.descriptions import SCOPE as SCORE_SCOPE
from steelyard.support.clock import resolve_as_of
from steelyard.text.html import is_html
from steelyard.workflow.mcp import schema
from steelyard.workflow.mcp.arguments import LONGEST_LINE, MOST_PAGES, Arguments
from steelyard.workflow.mcp.roots import Page
from steelyard.workflow.mcp.tools.base import Answer, Tool

SCOPE = (
    "a ranking by words and forms, not a promise: no engine was asked which page it would cite; a page's score is "
    + SCORE_SCOPE
)


def _run(arguments: Arguments) -> Answer:
    query = arguments.take_string("query", LONGEST_LINE)
    if query is None or not query.strip():
        raise SteelyardError("query: give what a user would ask")
    choices = arguments.take_choices()
    pages: list[Candidate] = []
    errors: list[PageError] = []
    for given in arguments.take_pages("pages"):
        found = _open(given)
        pages.append(found) if isinstance(found, Candidate) else errors.append(found)
    if not pages:
        raise SteelyardError(f"no page could be read; the first: {errors[0].message}")
    as_of = choices.as_of or resolve_as_of(None)
    chosen = choices.language or AUTO
    language = detect_main_language(pages) if chosen == AUTO else chosen
    ranked = rank_pages(query, pages, as_of=as_of, language=language)
    data = {
        "scope": SCOPE,
        "query": query,
        "language": language,
        "as_of": as_of.isoformat(),
        "pages": [
            {"place": p.place, "source": p.name, "score": p.score, "for": p.strengths, "against": p.weaknesses}
            for p in ranked
        ],
        "errors": [error.to_dict() for error in errors],
    }
    lines = render_text(SCOPE, query, ranked).split("\n")
    return Answer(data, [*lines, *(f"not ranked: {error.message}" for error in errors)])


def _open(given: Page | PageError) -> Candidate | PageError:
    """Return a page as the ranker takes it, its main text if it is HTML."""
    if isinstance(given, PageError):
        return given
    try:
        page = read_page(PageRef(given.name, text=given.text, html=is_html(given.text, name=given.name)))
    except (PageUnreadable, MissingExtra) as error:
        return PageError(given.name, str(error))
    return Candidate(given.name, page.text, page.title or "")


PREDICT = Tool(
    "predict",
    "Rank pages for a query",
    "Order pages by how well their words and forms fit a query, with the reasons. Nothing is fitted and no engine is "
    "asked, so this promises no citation.",
    schema.make_inputs(
        {
            "query": schema.describe(schema_parts.TEXT, "What a user would ask."),
            "pages": {
                "type": "array",
                "items": schema.A_PAGE,
                "minItems": 1,
                "maxItems": MOST_PAGES,
                "description": "The pages to compare, each an object with text or path.",
            },
        },
        required=("query", "pages"),
        choices=("language", "as_of"),
    ),
    schema_parts.make_object(
        {
            "scope": schema.SCOPE_FIELD,
            "query": schema_parts.TEXT,
            "language": schema_parts.TEXT,
            "as_of": {"type": "string", "format": "date"},
            "pages": schema_parts.list_of(
                schema_parts.make_object(
                    {
                        "place": schema_parts.COUNT,
                        "source": schema_parts.TEXT,
                        "score": schema_parts.NUMBER,
                        "for": schema.TEXTS,
                        "against": schema.TEXTS,
                    }
                )
            ),
            "errors": schema_parts.list_of(
                schema_parts.make_object({"source": schema_parts.TEXT, "error": schema_parts.TEXT})
            ),
        }
    ),
    _run,
)
