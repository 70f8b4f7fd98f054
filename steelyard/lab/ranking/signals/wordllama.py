"""wordllama: the mean of word vectors from a language model. Small and fast, and the package includes its weights."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from steelyard.errors import MissingExtra
from steelyard.lab.ranking.signals import files

CONFIGURATION, DIMENSIONS = "l2_supercat", 256


@dataclass(frozen=True)
class WordLlama:
    """The model in the package's own folder; no other place is searched."""

    package: Path

    @property
    def name(self) -> str:
        return "wordllama"

    @cached_property
    def identity(self) -> str:
        weights = self.package / "weights" / f"{CONFIGURATION}_{DIMENSIONS}.safetensors"
        tokenizer = self.package / "tokenizers" / f"{CONFIGURATION}_tokenizer_config.json"
        hashes = {"weights": files.hash_file(weights), "tokenizer": files.hash_file(tokenizer, files.MAX_TEXT)}
        return files.hash_identity("wordllama", "tokenizers", model=self.name, **hashes)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        with files.explain_failure(self.name, "embedding"):
            # One text at a time: in a batch all are padded to the longest, and sums differ in the last digits.
            vectors = [self._model.embed(files.clean_text(text), batch_size=1)[0] for text in texts]
            return [files.to_floats(self.name, vector) for vector in vectors]

    @cached_property
    def _model(self) -> Any:
        with files.explain_failure(self.name, "loading"), _restored_logging():
            module = import_module("wordllama")  # it publishes no types
            # Without cache_dir the package looks for its tokenizer in the wrong folder, and would download it.
            return module.WordLlama.load(CONFIGURATION, dim=DIMENSIONS, cache_dir=self.package, disable_download=True)


def find_model() -> WordLlama:
    """Return the installed model."""
    spec = importlib.util.find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise MissingExtra("rank-models", "wordllama")
    return WordLlama(Path(spec.origin).parent)


@contextmanager
def _restored_logging() -> Iterator[None]:
    """Undo the logging setup that the package makes for the whole process when it is imported."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
