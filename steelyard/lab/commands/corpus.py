"""`steelyard lab corpus`: pages made into a corpus, once, with its hash and its split."""

from __future__ import annotations

import os

import click

from steelyard.lab import corpus
from steelyard.lab.corpus import MAX_WORDS, MIN_WORDS, SEED, SPLITS, loading
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.terminal.inputs import check_output, list_files
from steelyard.terminal.options import Known
from steelyard.terminal.output import emit, warn

KINDS = ("geo-bench", "pages")


@click.group("corpus")
def command() -> None:
    """Make a corpus for the laboratory: pages cut to one length, in two views, halved for good."""


@command.command("build")
@click.argument("kind", type=Known("kind of corpus", KINDS))
@click.argument("source")
@click.option("-o", "--output", required=True, metavar="FILE", help="The corpus, as JSONL.")
@click.option(
    "--least", type=click.IntRange(1), default=MIN_WORDS, show_default=True, help="Leave shorter pages out (words)."
)
@click.option("--most", type=click.IntRange(1), default=MAX_WORDS, show_default=True, help="Cut longer ones (words).")
@click.option("--seed", type=int, default=SEED, show_default=True, help="Of the split into train and test.")
def build(kind: str, source: str, output: str, *, least: int, most: int, seed: int) -> int:
    """Build a corpus from SOURCE.

    \b
    geo-bench   GEO-Bench's published test.jsonl: per query the first source that is long enough
    pages       a folder of pages, or a JSONL file with `text` in each line
    """
    check_output(output, list_files([source]))
    make = loading.build_from_geo_bench if kind == "geo-bench" else loading.build_from_pages
    built = make(source, min_words=least, max_words=most, seed=seed)
    corpus.write(built, output)
    for reason, number in built.dropped.items():
        warn(f"steelyard: {number} left out: {make_visible(reason)}")
    languages = sorted({p.language for p in built.pages})
    counts = ", ".join(
        f"{language} {'/'.join(str(sum(p.split == s for p in built.pages_in(language))) for s in SPLITS)}"
        for language in languages
    )
    pages = format_count(len(built.pages), "page")
    emit(f"{pages} ({counts}, train/test) in {make_visible(os.path.basename(output))}, sha256 {built.digest}\n")
    return 0
