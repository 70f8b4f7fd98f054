"""`predict`: which of some pages fits a query, by words and forms."""

from __future__ import annotations

from steelyard.check.mcp import schemas
from steelyard.check.mcp.arguments import Arguments
from steelyard.check.mcp.roots import Page
from steelyard.check.mcp.tools.base import Tool, ToolResult
from steelyard.errors import MissingExtra, PageUnreadable, SteelyardError
from steelyard.inputs.page_ref import PageRef
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.predict import detect_main_language, rank_pages, render_text
from steelyard.pages.descriptions import SCOPE as SCORE_SCOPE
from steelyard.pipeline import PageError, read_page
from steelyard.settings import AUTO
from steelyard.support.clock import resolve_as_of
from steelyard.support.schema import COUNT, DATE, NUMBER, TEXT, describe, limit_text, list_of, make_input, make_object

MAX_PAGES = 50
SCOPE = (
    "a ranking by words and forms, not a promise: no engine was asked which page it would cite; a page's score is "
    + SCORE_SCOPE
)


def _run(arguments: Arguments) -> ToolResult:
    query = arguments["query"]
    if not query.strip():
        raise SteelyardError("query: give what a user would ask")
    choices = arguments.read_choices()
    pages: list[Candidate] = []
    errors: list[PageError] = []
    for page in arguments.read_pages("pages"):
        candidate = _make_candidate(page)
        pages.append(candidate) if isinstance(candidate, Candidate) else errors.append(candidate)
    if not pages:
        raise SteelyardError(f"no page could be read; the first: {errors[0].message}")
    as_of = choices.as_of or resolve_as_of(None)
    chosen = choices.language or AUTO
    language = detect_main_language(pages) if chosen == AUTO else chosen
    ranked = rank_pages(query, pages)
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
    return ToolResult(data, [*lines, *(f"not ranked: {error.message}" for error in errors)])


def _make_candidate(page: Page | PageError) -> Candidate | PageError:
    """Return a page as the ranker takes it, its main text if it is HTML."""
    if isinstance(page, PageError):
        return page
    try:
        loaded = read_page(PageRef.from_text(page.name, page.text))
    except (PageUnreadable, MissingExtra) as error:
        return PageError.from_error(page.name, error)
    return Candidate(page.name, loaded.text, loaded.title or "")


PREDICT = Tool(
    "predict",
    "Rank pages for a query",
    "Order pages by how well their words and forms fit a query, with the reasons. Nothing is fitted and no engine is "
    "asked, so this promises no citation.",
    make_input(
        {
            "query": describe(limit_text(schemas.MAX_LINE), "What a user would ask."),
            "pages": describe(
                list_of(schemas.A_PAGE, min_items=1, max_items=MAX_PAGES),
                "The pages to compare, each an object with text or path.",
            ),
            **schemas.choose("language", "as_of"),
        },
        required=("query", "pages"),
    ),
    make_object(
        {
            "scope": schemas.SCOPE_FIELD,
            "query": TEXT,
            "language": TEXT,
            "as_of": DATE,
            "pages": list_of(
                make_object(
                    {
                        "place": COUNT,
                        "source": TEXT,
                        "score": NUMBER,
                        "for": list_of(TEXT),
                        "against": list_of(TEXT),
                    }
                )
            ),
            "errors": list_of(make_object({"source": TEXT, "error": TEXT})),
        }
    ),
    _run,
)
