"""A local ONNX model: `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json` in a folder, by onnxruntime.

An embedder's vector is the mean over its tokens, unless the model gives one vector itself. On the processor, one
thread, one text at a time. Weights must be inside the file: a path to others could be one to any file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.signals import files
from steelyard.lab.ranking.signals.errors import SignalUnusable, need, release, told
from steelyard.lab.ranking.signals.values import finite, identity_of, readable
from steelyard.support.escape import visible

MOST_TOKENS = 512  # of a text, or of a query and a text together
MOST_BYTES = 2_000_000_000  # what the format itself can hold in one file
MODELS = ("model.onnx", "onnx/model.onnx")
TOKENIZER = "tokenizer.json"
_INPUTS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
_TYPES = {"tensor(int64)": "int64", "tensor(int32)": "int32"}
# The key of an entry that says where external weights are; its length may be written in more bytes than it needs.
_ELSEWHERE = re.compile(rb"(?:\x08|\x88\x80{0,8}\x00)location")
_ADVICE = "install both with: pip install onnxruntime tokenizers"


@dataclass(frozen=True)
class _Model:
    folder: Path

    @property
    def name(self) -> str:
        return f"onnx:{visible(self.folder.resolve().name)}"

    @cached_property
    def identity(self) -> str:
        return identity_of(
            {
                "model": type(self).__name__,
                "weights": files.sha256(self._graph, MOST_BYTES),
                "tokenizer": files.sha256(self.folder / TOKENIZER, files.MOST_TEXT),
                "versions": [release("onnxruntime"), release("tokenizers")],
                "tokens": self._tokens,
            }
        )

    @cached_property
    def _graph(self) -> Path:
        for within in MODELS:
            if (self.folder / within).is_file():
                return self.folder / within
        raise SignalUnusable(f"{self.folder}: holds neither {' nor '.join(MODELS)}; name the folder of an ONNX model")

    @cached_property
    def _tokenizer(self) -> Any:
        data = files.read(self.folder / TOKENIZER, files.MOST_TEXT)
        with told(self.name, f"reading {TOKENIZER}"):
            tokenizer = import_module("tokenizers").Tokenizer.from_str(data.decode("utf-8"))
            tokenizer.no_padding()
            tokenizer.enable_truncation(max_length=self._tokens)
            return tokenizer

    @cached_property
    def _tokens(self) -> int:
        """How many the model reads, as sentence-transformers keeps it; a tokenizer may carry that of its training."""
        settings = files.settings(self.folder / "sentence_bert_config.json")
        own = settings.get("max_seq_length")
        return min(own, MOST_TOKENS) if isinstance(own, int) and own > 2 else MOST_TOKENS

    @cached_property
    def _session(self) -> Any:
        data = files.read(self._graph, MOST_BYTES)
        if _ELSEWHERE.search(data):
            raise SignalUnusable(f"{self._graph}: refers to weights outside the file; save it with its weights inside")
        with told(self.name, "loading"):
            runtime = import_module("onnxruntime")  # it publishes no types
            options = runtime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            options.log_severity_level = 4
            options.add_session_config_entry("session.load_model_format", "ONNX")  # and no other that it knows
            return runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])

    def _first_output(self, *texts: str) -> Any:
        """The first output of the model, an array, for a text or a pair of texts."""
        encoding = self._tokenizer.encode(*map(readable, texts))
        np = import_module("numpy")
        feed = {}
        for wanted in self._session.get_inputs():
            if wanted.name not in _INPUTS or wanted.type not in _TYPES:
                raise SignalUnusable(f"{self.name}: wants an input {visible(wanted.name)!r} that no tokenizer gives")
            feed[wanted.name] = np.array([getattr(encoding, _INPUTS[wanted.name])], _TYPES[wanted.type])
        return self._session.run(None, feed)[0]


class OnnxEmbedder(_Model):
    """Texts to vectors."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        with told(self.name, "embedding"):
            return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        output = self._first_output(text)
        if output.ndim == 3:  # one text and nothing padded: all tokens count; without any it is a vector of zeros
            return finite(self.name, output[0].sum(axis=0, dtype="float64") / max(1, output.shape[1]))
        if output.ndim == 2:
            return finite(self.name, output[0])
        raise SignalUnusable(f"{self.name}: its first output is no vector, neither of tokens nor of the text")


class OnnxCrossEncoder(_Model):
    """Pairs to one logit each."""

    def logits(self, query: str, candidates: Sequence[Candidate]) -> list[float]:
        with told(self.name, "judging"):
            return [self._logit(query, candidate.text) for candidate in candidates]

    def _logit(self, query: str, text: str) -> float:
        output = self._first_output(query, text)
        if output.size != 1:
            raise SignalUnusable(
                f"{self.name}: {output.size} numbers for a pair; a cross-encoder with one output is needed"
            )
        return finite(self.name, output.ravel())[0]


def embedder(spec: str) -> OnnxEmbedder:
    return OnnxEmbedder(_located(spec))


def cross_encoder(spec: str) -> OnnxCrossEncoder:
    return OnnxCrossEncoder(_located(spec))


def _located(spec: str) -> Path:
    need("onnxruntime", "onnxruntime", _ADVICE)
    need("tokenizers", "tokenizers", _ADVICE)
    folder = Path(spec).expanduser()
    if not folder.is_dir():
        raise SignalUnusable(f"{visible(spec)}: no such folder; give one with {MODELS[0]} and {TOKENIZER} in it")
    return folder
