"""`steelyard domains`: rank domains by the scores of their pages."""

from __future__ import annotations

import click

from steelyard.cli.inputs import check_output
from steelyard.cli.options import format_option, output_option
from steelyard.cli.output import emit
from steelyard.cli.score_records import ScoreRecords
from steelyard.report.descriptions import SCOPE
from steelyard.scoring.domains import PRIOR, STRENGTH, DomainRow, rank_domains
from steelyard.support.artifacts import to_json
from steelyard.support.formatting import format_count
from steelyard.support.regular_file import require_regular_file
from steelyard.support.table import Column, Table


@click.command("domains")
@click.argument("scores")
@format_option("human", "json", "csv", "markdown")
@output_option
def command(scores: str, form: str, output: str | None) -> int:
    """Rank domains by the scores of their pages.

    The mean score of a domain is shrunk towards 50, so that one good page is not enough for a high rank.

    SCORES is a CSV, JSON or JSONL file with `url` (or `domain`) and `score`, one page per row. The output of
    `steelyard score` in these formats works too: records keep their `url`, HTML pages give their canonical link, and
    --url gives that of any page. Rows with neither `url` nor `domain` are counted and left out.
    """
    require_regular_file(scores)
    check_output(output, [scores])
    rows = _rank(scores)
    columns = [Column("rank", right=True), Column("domain"), Column("n", ",", right=True)]
    columns += [Column(name, ".2f", right=True) for name in ("mean", "shrunk", "low", "high")]
    table = Table(columns, [list(dict(r).values()) for r in rows])
    if form == "json":
        emit(to_json({"prior": PRIOR, "strength": STRENGTH, "domains": [dict(r) for r in rows]}) + "\n", output)
    elif form == "csv":
        emit(table.to_csv(), output)
    elif form == "markdown":
        emit(table.to_markdown(), output)
    else:
        formula = f"shrunk = ({STRENGTH}·{PRIOR:g} + n·mean) / ({STRENGTH} + n)"
        notes = [format_count(len(rows), "domain"), f"{formula}; low and high: 95% interval"]
        emit("\n".join([*table.to_terminal(), "", *notes, f"each score is {SCOPE}"]) + "\n", output)
    return 0


def _rank(path: str) -> list[DomainRow]:
    """Rank the domains of a file, and warn of rows without a score or a domain."""
    records = ScoreRecords(path)
    ranked = rank_domains(records)
    records.check()
    return ranked
