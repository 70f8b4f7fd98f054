"""`steelyard protocol pipeline`: the responses of the score itself."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.studies import (
    capture_options,
    enough,
    finish,
    french,
    french_option,
    how,
    source_of,
    study_options,
    taken,
)


@click.command("pipeline")
@click.argument("source", default="demo")
@french_option
@capture_options
@study_options
def command(source: str, french_source: str | None, **options: Any) -> int:
    """The same edits on `score`, with freshness, caps and guards, under the shipped and the prior weighting."""
    settings = how(options)
    from steelyard.lab.protocol.gates.base import FEWEST_SOURCES
    from steelyard.lab.protocol.pipeline import pipeline as run
    from steelyard.lab.protocol.readings import readings
    from steelyard.lab.study import pipeline

    found = taken(source, settings)
    beside = french(french_source, source, settings)
    captures = {found.header.parameters["language"]: found} | ({"fr": beside} if beside else {})
    for language, capture in captures.items():  # readings() says so where a capture is not of our scorer
        enough(len(readings(capture)), FEWEST_SOURCES, "source", f" ({language})")
    return finish(pipeline.findings({"captures": run(captures)}), source_of(found, french=beside), options)
