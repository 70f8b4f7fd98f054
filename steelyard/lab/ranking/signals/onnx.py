"""A local ONNX model: `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json` in a folder, run by onnxruntime.

An embedder's vector is the mean over its tokens, unless the model gives one vector itself. It runs on the CPU with one
thread, one text at a time. The weights must be inside the file: a path to others could lead to any file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.errors import SteelyardError
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.signals import files
from steelyard.support.escape import make_visible

MAX_TOKENS = 512  # of a text, or of a query and a text together
MAX_BYTES = 2_000_000_000  # the limit of the format itself
MODELS = ("model.onnx", "onnx/model.onnx")
TOKENIZER = "tokenizer.json"
_INPUTS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
_TYPES = {"tensor(int64)": "int64", "tensor(int32)": "int32"}
# The key of an entry with the path of external weights; its length may be encoded in more bytes than it needs.
_EXTERNAL = re.compile(rb"(?:\x08|\x88\x80{0,8}\x00)location")
_ADVICE = "install both with: pip install onnxruntime tokenizers"


@dataclass(frozen=True)
class _Model:
    folder: Path

    @property
    def name(self) -> str:
        return f"onnx:{make_visible(self.folder.resolve().name)}"

    @cached_property
    def identity(self) -> str:
        weights = files.hash_file(self._graph, MAX_BYTES)
        tokenizer = files.hash_file(self.folder / TOKENIZER, files.MAX_TEXT)
        parts = {"model": type(self).__name__, "weights": weights, "tokenizer": tokenizer, "tokens": self._tokens}
        return files.hash_identity("onnxruntime", "tokenizers", **parts)

    @cached_property
    def _graph(self) -> Path:
        for name in MODELS:
            if (self.folder / name).is_file():
                return self.folder / name
        raise SteelyardError(f"{self.folder}: holds neither {' nor '.join(MODELS)}; name the folder of an ONNX model")

    @cached_property
    def _tokenizer(self) -> Any:
        data = files.read_bytes(self.folder / TOKENIZER, files.MAX_TEXT)
        with files.explain_failure(self.name, f"reading {TOKENIZER}"):
            tokenizer = import_module("tokenizers").Tokenizer.from_str(data.decode("utf-8"))
            tokenizer.no_padding()
            tokenizer.enable_truncation(max_length=self._tokens)
            return tokenizer

    @cached_property
    def _tokens(self) -> int:
        """The limit of the model, from sentence-transformers' settings; a tokenizer may carry that of its training."""
        own = files.read_settings(self.folder / "sentence_bert_config.json").get("max_seq_length")
        return min(own, MAX_TOKENS) if isinstance(own, int) and own > 2 else MAX_TOKENS

    @cached_property
    def _session(self) -> Any:
        data = files.read_bytes(self._graph, MAX_BYTES)
        if _EXTERNAL.search(data):
            raise SteelyardError(f"{self._graph}: refers to weights outside the file; save it with its weights inside")
        with files.explain_failure(self.name, "loading"):
            runtime = import_module("onnxruntime")  # it publishes no types
            options = runtime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            options.log_severity_level = 4
            options.add_session_config_entry("session.load_model_format", "ONNX")  # and no other format
            return runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])

    def _first_output(self, *texts: str) -> Any:
        """Return the first output of the model, an array, for a text or a pair of texts."""
        encoding = self._tokenizer.encode(*map(files.clean_text, texts))
        feed = {}
        for needed in self._session.get_inputs():
            if needed.name not in _INPUTS or needed.type not in _TYPES:
                raise SteelyardError(f"{self.name}: its input {make_visible(needed.name)!r} is not one of a text model")
            feed[needed.name] = np.array([getattr(encoding, _INPUTS[needed.name])], _TYPES[needed.type])
        return self._session.run(None, feed)[0]


class OnnxEmbedder(_Model):
    """Turns texts into vectors."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        with files.explain_failure(self.name, "embedding"):
            return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        output = self._first_output(text)
        if output.ndim == 3:  # one text without padding: all tokens count; no token gives a vector of zeros
            return files.to_floats(self.name, output[0].sum(axis=0, dtype="float64") / max(1, output.shape[1]))
        if output.ndim == 2:
            return files.to_floats(self.name, output[0])
        raise SteelyardError(f"{self.name}: its first output is not a vector, neither per token nor for the whole text")


class OnnxCrossEncoder(_Model):
    """Turns pairs of texts into logits."""

    def logits(self, query: str, candidates: Sequence[Candidate]) -> list[float]:
        with files.explain_failure(self.name, "judging"):
            return [self._logit(query, candidate.text) for candidate in candidates]

    def _logit(self, query: str, text: str) -> float:
        output = self._first_output(query, text)
        if output.size != 1:
            raise SteelyardError(f"{self.name}: {output.size} numbers for a pair; a cross-encoder gives one")
        return files.to_floats(self.name, output.ravel())[0]


def find_folder(spec: str) -> Path:
    files.require_packages("onnxruntime", "tokenizers", advice=_ADVICE)
    folder = Path(spec).expanduser()
    if not folder.is_dir():
        raise SteelyardError(f"{make_visible(spec)}: no such folder; give one with {MODELS[0]} and {TOKENIZER} in it")
    return folder
