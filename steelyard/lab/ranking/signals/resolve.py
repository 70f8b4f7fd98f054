"""From what a user types to a model, with a cache of its answers around it."""

from __future__ import annotations

from steelyard.errors import nearest
from steelyard.lab.ranking.signals import onnx, sentence_transformers, wordllama
from steelyard.lab.ranking.signals.base import CrossEncoder, Embedder
from steelyard.lab.ranking.signals.cache import CachedCrossEncoder, CachedEmbedder, Store
from steelyard.lab.ranking.signals.errors import SignalUnusable
from steelyard.lab.ranking.signals.given import Given
from steelyard.support.escape import visible

_FOLDERS = (
    "st:NAME_OR_FOLDER, such as st:sentence-transformers/all-MiniLM-L6-v2",
    "onnx:FOLDER, such as onnx:models/minilm",
)
_CROSS_FOLDERS = (
    "st:NAME_OR_FOLDER, such as st:cross-encoder/ms-marco-MiniLM-L6-v2",
    "onnx:FOLDER, such as onnx:models/reranker",
)
EMBEDDERS = ("wordllama", *_FOLDERS)
CROSS_ENCODERS = ("given, the relevance in the records", *_CROSS_FOLDERS)


class UnknownSignal(SignalUnusable):
    def __init__(self, kind: str, spec: str, forms: tuple[str, ...]) -> None:
        name = spec.partition(":")[0]
        known = [form.partition(",")[0].partition(":")[0] for form in forms]
        meant = "" if name in known else nearest(name, known)
        super().__init__(f"no {kind} {visible(spec)[:80]!r}{meant} (one of: {'; '.join(forms)})")


def embedder(spec: str, *, store: Store | None = None) -> Embedder:
    """The embedder that `spec` names."""
    kind, _, rest = spec.strip().partition(":")
    model: Embedder
    if kind == "wordllama" and not rest:
        model = wordllama.load()
    elif kind == "st" and rest:
        model = sentence_transformers.embedder(rest)
    elif kind == "onnx" and rest:
        model = onnx.embedder(rest)
    else:
        raise UnknownSignal("embedder", spec.strip(), EMBEDDERS)
    return CachedEmbedder(model, store or Store())


def cross_encoder(spec: str, *, store: Store | None = None) -> CrossEncoder:
    """The cross-encoder that `spec` names; what is given with the records needs no cache."""
    kind, _, rest = spec.strip().partition(":")
    model: CrossEncoder
    if kind == "given" and not rest:
        return Given()
    if kind == "st" and rest:
        model = sentence_transformers.cross_encoder(rest)
    elif kind == "onnx" and rest:
        model = onnx.cross_encoder(rest)
    else:
        raise UnknownSignal("cross-encoder", spec.strip(), CROSS_ENCODERS)
    return CachedCrossEncoder(model, store or Store())
