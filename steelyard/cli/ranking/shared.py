"""What the ranking commands share: the data, its features, and where they come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from steelyard.cli.options import AsOf, Known
from steelyard.cli.studies import needs_laboratory
from steelyard.support.clock import resolve_as_of

F = TypeVar("F", bound=Callable[..., Any])


def data_options(command: F) -> F:
    """DATA, the models behind optional features, and what the features are counted with."""
    embedder = "Features of meaning: wordllama, st:NAME_OR_PATH or onnx:FOLDER. [default: none]"
    cross = "Relevance: given (as the records have it), st:NAME_OR_PATH or onnx:FOLDER. [default: none]"
    options = (
        click.argument("data", nargs=-1, required=True),
        click.option("--embedder", metavar="MODEL", help=embedder),
        click.option("--cross-encoder", metavar="MODEL", help=cross),
        click.option(
            "--language", type=Known("language", ("en", "fr")), default="en", show_default=True, help="Of the pages."
        ),
        click.option(
            "--as-of", type=AsOf(), metavar="DATE", help="For the scores. [default: STEELYARD_AS_OF, else today in UTC]"
        ),
        click.option("--seed", type=int, default=0, show_default=True, help="Of folds, models and resampling."),
        click.option("--quiet", is_flag=True, help="No progress."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def prepared(data: tuple[str, ...], options: Any) -> tuple[Any, dict[str, Any]]:
    """The data with its features, and the origin of every figure made from it."""
    needs_laboratory()
    from steelyard.lab.ranking.load import load
    from steelyard.lab.ranking.models import library
    from steelyard.lab.ranking.prepare import prepare
    from steelyard.lab.ranking.signals import resolve

    library()
    as_of = options["as_of"] or resolve_as_of(None)
    embedder = resolve.embedder(options["embedder"]) if options["embedder"] else None
    cross = resolve.cross_encoder(options["cross_encoder"]) if options["cross_encoder"] else None
    groups = load(data)
    found = prepare(
        groups, as_of=as_of, embedder=embedder, cross_encoder=cross, language=options["language"],
        quiet=options["quiet"],
    )  # fmt: skip
    parameters = {
        "seed": options["seed"],
        "as_of": as_of.isoformat(),
        "language": options["language"],
        "embedder": _named(embedder),
        "cross_encoder": _named(cross),
    }
    return found, {"inputs": dict(groups.inputs), "parameters": parameters}


def _named(model: Any | None) -> dict[str, str] | None:
    """A model by its name and hash: the path it was loaded from is nobody's business."""
    return None if model is None else {"name": model.name, "identity": model.identity}
