"""`steelyard leaderboard`: domains ranked, with what the ranks are worth; and its short form, `steelyard domains`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import click

from steelyard.errors import InvalidRecords, SteelyardError
from steelyard.inputs.page_ref import PageRef
from steelyard.pages.descriptions import SCOPE
from steelyard.pipeline import read_page
from steelyard.scoring import editions, weighting
from steelyard.scoring.domains import PRIOR, STRENGTH, DomainRow
from steelyard.settings import Settings
from steelyard.site.domain_pages import Domain, KeptPage, Sample, add_page, takes_page
from steelyard.site.history_command import store_option
from steelyard.site.leaderboard import ATTACK_WORDS, MAX_BOARDS, Leaderboard, build, rank
from steelyard.site.leaderboard_html import render_html
from steelyard.site.leaderboard_listing import render_csv, render_markdown, render_terminal
from steelyard.site.score_records import ScoreRecords
from steelyard.support.artifacts import to_json
from steelyard.support.formatting import format_count
from steelyard.support.paths import is_inside
from steelyard.support.progress import ShareProgress
from steelyard.support.regular_file import require_regular_file
from steelyard.support.table import Column, Table
from steelyard.terminal.inputs import check_output
from steelyard.terminal.options import format_option, output_option
from steelyard.terminal.output import apply_styles, emit


def _render_ranks(rows: Sequence[DomainRow]) -> str:
    formula = f"shrunk = ({STRENGTH}·{PRIOR:g} + n·mean) / ({STRENGTH} + n)"
    notes = [format_count(len(rows), "domain"), f"{formula}; low and high: 95% interval", f"each score is {SCOPE}"]
    return "\n".join([*_list_ranks(rows).to_terminal(), "", *notes]) + "\n"


def _list_ranks(rows: Sequence[DomainRow]) -> Table:
    columns = [Column("rank", right=True), Column("domain"), Column("n", ",", right=True)]
    columns += [Column(name, ".2f", right=True) for name in ("mean", "shrunk", "low", "high")]
    return Table(columns, [list(dict(row).values()) for row in rows])


FORMATS: Mapping[str, Callable[[Leaderboard, str | None], str]] = {
    "human": lambda board, output: apply_styles(render_terminal(board), output),
    "json": lambda board, output: to_json(board.to_dict()) + "\n",
    "csv": lambda board, output: render_csv(board),
    "markdown": lambda board, output: render_markdown(board),
    "html": lambda board, output: render_html(board),
}
DOMAINS_FORMATS: Mapping[str, Callable[[Sequence[DomainRow]], str]] = {
    "human": _render_ranks,
    "json": lambda rows: to_json({"prior": PRIOR, "strength": STRENGTH, "domains": list(map(dict, rows))}) + "\n",
    "csv": lambda rows: _list_ranks(rows).to_csv(),
    "markdown": lambda rows: _list_ranks(rows).to_markdown(),
}


@click.command("leaderboard")
@click.argument("scores", required=False)
@store_option
@click.option(
    "--texts", type=click.Path(exists=True, file_okay=False), metavar="DIR",
    help="The folder in which SCORES was made, for what an attack would gain.",
)  # fmt: skip
@format_option(*FORMATS)
@output_option
def command(scores: str | None, store: str | None, texts: str | None, form: str, output: str | None) -> int:
    """Rank domains by the scores of their pages, and say what the ranks are worth.

    The domains are the sites in the store, each by its last finished audit, or those of SCORES: a CSV, JSON or JSONL
    file with `url` (or `domain`) and `score`, one page per row, such as `steelyard score` writes in these formats. Rows
    with neither `url` nor `domain` are counted and left out.

    Every rank comes with its interval, the pages that would separate it from the next, the ranks that 50 words written
    for the score alone would gain (only where the texts were kept: --keep-texts of `audit`, or --texts), and the share
    of pages that detectors flag. Domains under different editions or scorings are listed apart.
    """
    if scores is not None and store is not None:
        raise click.UsageError("give SCORES or --store, not both")
    if texts is not None and scores is None:
        raise click.UsageError("--texts goes with SCORES; an audit keeps its texts with --keep-texts")
    if scores is None:
        from steelyard.site.store.location import refuse_store

        refuse_store(output, store)
    check_output(output, _list_inputs(scores, texts))
    board = _rank_store(store) if scores is None else _rank_file(scores, texts)
    emit(FORMATS[form](board, output), output)
    return 0


@click.command("domains")
@click.argument("scores")
@format_option(*DOMAINS_FORMATS)
@output_option
def domains_command(scores: str, form: str, output: str | None) -> int:
    """Rank domains by the scores of their pages.

    The mean score of a domain is shrunk towards 50, so that one good page is not enough for a high rank.

    SCORES is a CSV, JSON or JSONL file with `url` (or `domain`) and `score`, one page per row. The output of
    `steelyard score` in these formats works too: records keep their `url`, HTML pages give their canonical link, and
    --url gives that of any page. Rows with neither `url` nor `domain` are counted and left out.
    """
    require_regular_file(scores)
    check_output(output, [scores])
    domains: dict[str, Domain] = {}  # whatever their scorings, which the whole leaderboard tells apart
    records = ScoreRecords(scores)
    for record in records:
        name = record["domain"].lower()
        domains.setdefault(name, Domain(name)).scores.append(record["score"])
    records.check()
    (board,) = rank(domains.values()).boards
    emit(DOMAINS_FORMATS[form]([standing.row for standing in board.rows]), output)
    return 0


def _list_inputs(scores: str | None, texts: str | None) -> Iterator[str]:
    """Yield the files that are read: the scores, and the pages they are about."""
    if scores is None:
        return
    yield scores
    if texts is not None:
        require_regular_file(scores)
        yield from (os.path.join(texts, str(record["row"].get("source") or "")) for record in ScoreRecords(scores))


def _rank_store(url: str | None) -> Leaderboard:
    from steelyard.site.store import open_store

    with open_store(url, create=False) as store:
        board = build(store, measure=_measure, progress=_show_progress())
        if not board.boards:
            raise SteelyardError(
                f"{store.name}: no finished audit with a scored page; begin with `steelyard audit URL`"
            )
        return board


def _rank_file(path: str, folder: str | None) -> Leaderboard:
    require_regular_file(path)
    # A domain may have pages that were scored in two ways; each way is then a domain of its own, on its own board.
    domains: dict[str, list[tuple[Domain, Sample[dict[str, Any]]]]] = {}
    records = ScoreRecords(path)
    for record in records:
        row, known = record["row"], domains.setdefault(record["domain"].lower(), [])
        pair = next((pair for pair in known if takes_page(pair[0], row)), None)
        if pair is None:
            name, edition, weights = record["domain"].lower(), row.get("edition"), row.get("weights")
            pair = Domain(name, str(edition or ""), str(weights or ""), as_of=_parse_day(row)), Sample()
            known.append(pair)
            if len(known) > MAX_BOARDS:
                raise InvalidRecords(path, f"the pages of {name} are under more than {MAX_BOARDS} scorings")
        add_page(pair[0], {**row, "score": record["score"]})
        if folder is not None:
            about = {key: row.get(key) for key in ("source", "language", "title")}
            pair[1].add(str(row.get("url") or row.get("source")), about)
    records.check()
    scored_domains = []
    for domain, sample in (pair for pairs in domains.values() for pair in pairs):
        domain.kept = [page for row in sample.list_items() if (page := _read_text(Path(folder or "."), row))]
        scored_domains.append(domain)
    reason = "no texts were given (--texts DIR)" if folder is None else f"no page of it is in {folder}"
    return rank(scored_domains, measure=_measure, without_texts=reason, progress=_show_progress())


def _read_text(folder: Path, row: dict[str, Any]) -> KeptPage | None:
    """Return the page that a row is about, from the folder; None where there is none, or outside the folder."""
    path = folder / str(row.get("source") or "")
    if not is_inside(path, folder) or not path.is_file():
        return None
    try:
        page = read_page(PageRef(str(path), path=str(path)))
    except SteelyardError:
        return None
    return KeptPage(page.text, str(row.get("language") or "en"), row.get("title") or page.title)


def _show_progress() -> Callable[[int, int], None]:
    """Return a progress callback: an attack takes a second or so for each page."""
    line = ShareProgress("pages attacked")

    def show(done: int, total: int) -> None:
        line.update(done, done / max(1, total))
        if done == total:
            line.clear()

    return show


def _measure(page: KeptPage, domain: Domain) -> float | None:
    """Return what the attack gains on a page, under the scoring of its domain; None where that is not at hand."""
    from steelyard.lab.gaming.climbing import measure_gain

    if domain.edition and domain.edition not in editions.NAMES:
        return None
    edition = editions.load(domain.edition or editions.DEFAULT)
    weights = domain.weights or edition.weights
    if weights not in weighting.NAMED or page.language not in edition.languages:
        return None
    settings = Settings.resolve(edition=edition, weights=weights, as_of=domain.as_of, language=page.language)
    return measure_gain(page.text, page.title, settings, words=ATTACK_WORDS)


def _parse_day(row: dict[str, Any]) -> date | None:
    try:
        return date.fromisoformat(str(row.get("as_of")))
    except ValueError:
        return None
