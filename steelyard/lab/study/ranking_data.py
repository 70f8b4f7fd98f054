"""What the ranking studies read: groups of candidates with their features, from records and optional models."""

from __future__ import annotations

from typing import Any

from steelyard.lab.ranking.load import load
from steelyard.lab.ranking.models import import_lightgbm
from steelyard.lab.ranking.prepare import PreparedData, prepare
from steelyard.lab.ranking.signals import resolve
from steelyard.lab.study.study import Request


def open_groups(request: Request) -> PreparedData:
    """Load the request's data and compute its features; models are checked before anything is read."""
    import_lightgbm()
    options = request.options
    embedder = resolve.load_embedder(options["embedder"]) if options["embedder"] else None
    encoder = options["cross_encoder"]
    cross = resolve.load_cross_encoder(encoder) if encoder and encoder != "auto" else None
    groups = load(request.arguments)
    if encoder == "auto" and all(c.relevance is not None for g in groups.groups for c in g.candidates):
        cross = resolve.load_cross_encoder("given")
    request.inputs.update(groups.inputs)
    request.parameters.update(
        seed=request.seed,
        as_of=request.as_of.isoformat(),
        language=options["language"],
        embedder=_identity(embedder),
        cross_encoder=_identity(cross),
    )
    return prepare(
        groups,
        as_of=request.as_of,
        embedder=embedder,
        cross_encoder=cross,
        language=options["language"],
        quiet=request.quiet,
    )


def _identity(model: Any | None) -> dict[str, str] | None:
    """Name a model by its name and hash: the path it was loaded from is private."""
    return None if model is None else {"name": model.name, "identity": model.identity}
