"""`steelyard predict`: which page would be cited sooner for a query."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import click

from steelyard.errors import PageUnreadable, SteelyardError
from steelyard.support.artifacts import to_json
from steelyard.support.clock import resolve_as_of
from steelyard.support.escape import make_visible
from steelyard.terminal.inputs import check_output, list_files
from steelyard.terminal.options import format_option, output_option
from steelyard.terminal.output import emit, warn

SCOPE = (
    "A ranking by words and forms, not a promise: it says which of these pages fits the query, and no engine was asked."
)
MODEL_SCOPE = "A ranking by a model trained on recorded answers, not a promise: no engine was asked about these pages."


@click.command("predict")
@click.argument("targets", nargs=-1, required=True)
@click.option("--query", required=True, help="What a user would ask.")
@click.option(
    "--model", "folder", metavar="DIR", help="A ranker of `lab ranking train`. [default: none, nothing is fitted]"
)
@click.option(
    "--as-of", type=resolve_as_of, metavar="DATE", help="For the scores. [default: STEELYARD_AS_OF, else today in UTC]"
)
@format_option("human", "json")
@output_option
def command(
    targets: tuple[str, ...], query: str, folder: str | None, form: str, output: str | None, **options: Any
) -> int:
    """Rank pages for a query: files, directories, globs, JSONL with a `text` key, or - for standard input.

    \b
    Exit codes: 0 ranked, 2 something could not be read.
    """
    from steelyard.inputs.find import find_pages
    from steelyard.lab.ranking.dataset import Candidate
    from steelyard.lab.ranking.features import ContentCache, compute_features
    from steelyard.lab.ranking.predict import build_record, detect_main_language, rank_pages, render_text
    from steelyard.pipeline import read_page

    check_output(output, _list_inputs(targets, folder))
    as_of = options["as_of"] or resolve_as_of(None)
    trained = None
    if folder is not None:
        from steelyard.lab.ranking import store

        trained = store.load_model(folder)
    pages, unread = [], 0
    for ref in find_pages(targets):
        try:
            page = read_page(ref)
        except PageUnreadable as error:
            warn(f"steelyard: {make_visible(str(error))}")
            unread += 1
            continue
        pages.append(Candidate(page.source, page.text, page.title or ""))
    if not pages:
        raise SteelyardError("no page could be read; name files or folders with pages")
    scores = None
    if trained is not None:
        contents = ContentCache(as_of=as_of, language=detect_main_language(pages))
        scores = trained.score(compute_features(query, pages, contents))
    ranked = rank_pages(query, pages, scores)
    scope = MODEL_SCOPE if trained is not None else SCOPE
    if form == "json":
        manifest = trained.manifest if trained else None
        emit(to_json(build_record(scope, query, ranked, as_of, manifest)) + "\n", output)
    else:
        emit(render_text(scope, query, ranked) + "\n", output)
    return 2 if unread else 0


def _list_inputs(targets: Sequence[str], folder: str | None) -> Iterator[str]:
    yield from list_files(targets)
    if folder is not None:
        from steelyard.lab.ranking import store

        yield from (os.path.join(folder, name) for name in (store.MODEL, store.MANIFEST))
