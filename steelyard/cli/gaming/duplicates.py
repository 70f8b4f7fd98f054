"""`steelyard gaming duplicates`: pages that are nearly the same."""

from __future__ import annotations

import hashlib
from typing import Any

import click

from steelyard.cli.output import warn
from steelyard.cli.studies import finish, needs_laboratory, ready, study_options
from steelyard.errors import PageUnreadable, SteelyardError
from steelyard.support.escape import visible
from steelyard.support.progress import tracked
from steelyard.support.wording import counted

FEWEST = 2


@click.command("duplicates")
@click.argument("targets", nargs=-1, required=True)
@click.option(
    "--threshold", type=click.FloatRange(0.2, 1), default=0.5, show_default=True,
    help="Share of five-word sequences in either page that are in both.",
)  # fmt: skip
@click.option("--quiet", is_flag=True, help="No progress.")
@study_options
def command(targets: tuple[str, ...], threshold: float, quiet: bool, **options: Any) -> int:
    """Find near-duplicates among many pages: files, directories, globs, or JSONL with a `text` key.

    \b
    Exit codes: 0 none found, 1 some pages are nearly the same, 2 something could not be read.
    """
    needs_laboratory()
    ready(options["folder"])
    from steelyard import languages
    from steelyard.inputs.find import find
    from steelyard.lab.gaming.near_duplicates import near_duplicates, shingles
    from steelyard.lab.study import duplicates
    from steelyard.pipeline import read_page
    from steelyard.text.document import Document, Source

    names, pages, digests, unread = [], [], [], 0
    refs = list(find(targets))
    for ref in tracked(refs, total=len(refs), noun="pages", quiet=quiet):
        try:
            page = read_page(ref)
        except PageUnreadable as error:
            warn(f"steelyard: {visible(str(error))}")
            unread += 1
            continue
        names.append(page.source)
        digests.append(hashlib.sha256(page.text.encode("utf-8", "surrogatepass")).hexdigest())
        pages.append(shingles(Document(Source(page.text), languages.load("en"))))
    if len(pages) < FEWEST:
        raise SteelyardError(f"{counted(len(pages), 'readable page')}; give two or more to compare")
    result = duplicates.result(names, pages, near_duplicates(pages, threshold), threshold)
    origin = {
        "inputs": {"pages": hashlib.sha256("\n".join(sorted(digests)).encode()).hexdigest()},
        "parameters": {"threshold": threshold},
    }
    code = finish(duplicates.findings(result), origin, options)
    return 2 if unread else (code or int(bool(result["pairs"])))
