"""From what a user types to a model, with a cache of its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.errors import SteelyardError, suggest_name
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.signals import onnx, wordllama
from steelyard.lab.ranking.signals import sentence_transformers as st
from steelyard.lab.ranking.signals.base import CrossEncoder, Embedder
from steelyard.lab.ranking.signals.cache import CachedModel
from steelyard.lab.ranking.signals.files import to_floats
from steelyard.support.escape import make_visible

# The word with which the name of a model begins, and the form of the whole name.
EMBEDDERS = {
    "wordllama": "wordllama",
    "st": "st:NAME_OR_FOLDER, such as st:sentence-transformers/all-MiniLM-L6-v2",
    "onnx": "onnx:FOLDER, such as onnx:models/minilm",
}
CROSS_ENCODERS = {
    "given": "given, the relevance in the records",
    "st": "st:NAME_OR_FOLDER, such as st:cross-encoder/ms-marco-MiniLM-L6-v2",
    "onnx": "onnx:FOLDER, such as onnx:models/reranker",
}


@dataclass(frozen=True, slots=True)
class RecordedRelevance:
    """`given`: the relevance that came with the records, such as a language model's log-odds, as a cross-encoder."""

    name: str = "given"
    identity: str = "given"  # the records carry the values, and they are hashed as inputs

    def logits(self, query: str, candidates: Sequence[Candidate]) -> list[float]:
        for candidate in candidates:
            if candidate.relevance is None:
                raise SteelyardError(
                    f"the records have no relevance for source {make_visible(candidate.key)[:80]!r} of the query "
                    f"{make_visible(query)[:80]!r}; leave out --cross-encoder given, or name a model"
                )
        return to_floats(self.name, (c.relevance for c in candidates))


def load_embedder(spec: str) -> Embedder:
    """Return the embedder that `spec` names.

    Raises:
        SteelyardError: There is no such embedder, or its package is missing.
    """
    if spec.strip() == "wordllama":
        return CachedModel(wordllama.find_model())
    return _load_from_folder("embedder", spec.strip(), EMBEDDERS, st.STEmbedder, onnx.OnnxEmbedder)


def load_cross_encoder(spec: str) -> CrossEncoder:
    """Return the cross-encoder that `spec` names; recorded relevance needs no cache.

    Raises:
        SteelyardError: There is no such cross-encoder, or its package is missing.
    """
    if spec.strip() == "given":
        return RecordedRelevance()
    return _load_from_folder("cross-encoder", spec.strip(), CROSS_ENCODERS, st.STCrossEncoder, onnx.OnnxCrossEncoder)


def _load_from_folder(
    role: str, spec: str, forms: Mapping[str, str], st_class: Callable[..., Any], onnx_class: Callable[..., Any]
) -> CachedModel:
    kind, _, place = spec.partition(":")
    if kind == "st" and place:
        return CachedModel(st_class(*st.find_folder(place)))
    if kind == "onnx" and place:
        return CachedModel(onnx_class(onnx.find_folder(place)))
    suggestion = "" if kind in forms else suggest_name(kind, tuple(forms))
    raise SteelyardError(f"no {role} {make_visible(spec)[:80]!r}{suggestion} (one of: {'; '.join(forms.values())})")
