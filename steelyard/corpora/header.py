"""What the bytes of an output depend on: a run is continued only if all of it is the same."""

from __future__ import annotations

import os
import zlib
from importlib import metadata
from typing import Any

from steelyard import __version__
from steelyard.corpora.corpus_files import GZIP, PARQUET, ZSTD, format_of
from steelyard.corpora.plan import Plan
from steelyard.scoring.page import describe_scoring
from steelyard.text import html


def describe_run(plan: Plan) -> dict[str, Any]:
    """Return inputs, options and versions as JSON."""
    settings = plan.settings
    weights, edition = settings.weights, settings.edition
    hashes = {code: describe_scoring(weights.name, weights.digest, edition, code).hash for code in edition.languages}
    return {
        "inputs": [{"path": f.path, "size": f.size, "modified": f.modified} for f in plan.files],
        "options": {
            "text": plan.text,
            "url": plan.url,
            "language": settings.language,
            "edition": edition.name,
            "weights": weights.name,
            "as_of": settings.as_of.isoformat(),
            "min_score": plan.thresholds.min_score,
            "min_percentile": plan.thresholds.min_percentile,
            "drop_flagged": plan.thresholds.drop_flagged,
            "components": plan.added.components,
            "evidence": plan.added.evidence,
            "rejects": plan.rejects and os.path.realpath(plan.rejects),
            "max_bytes": plan.max_bytes,
            "format": [plan.format.kind, plan.format.packing],
            "rows_per_part": plan.rows_per_part,
        },
        "scoring": hashes,
        "versions": _list_versions(plan),
    }


def _list_versions(plan: Plan) -> dict[str, str]:
    """Return the versions of the programs that determine scores or bytes."""
    versions = {"steelyard": __version__, "html": _find_extractor()}
    written = [plan.format, *([format_of(plan.rejects)] if plan.rejects else [])]
    if any(fmt and fmt.kind == PARQUET for fmt in written):
        versions["pyarrow"] = metadata.version("pyarrow")
    if any(fmt and fmt.packing == ZSTD for fmt in written):
        versions["zstandard"] = metadata.version("zstandard")
    if any(fmt and fmt.packing == GZIP for fmt in written):
        versions["zlib"] = zlib.ZLIB_RUNTIME_VERSION
    return versions


def _find_extractor() -> str:
    try:
        return html.version()
    except metadata.PackageNotFoundError:
        return "not installed"
