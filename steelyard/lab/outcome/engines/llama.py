"""A GGUF model on this machine, through llama.cpp in this process (package xllamacpp).

Temperature 0, on the processor only, and every prompt read from its start: the same file, release and processor give
the same answer whatever was asked before. Models take marks such as <|im_end|> in a page for the chat's own, so such a
mark gets a space; `identity` records that.

Small models forget to cite. With `forced` the answer is written as usual; then each sentence without a citation is
shown to the model again, on its own and followed by " [", and a grammar allows only the numbers of the sources.
"""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from steelyard.errors import MissingExtra, SteelyardError
from steelyard.lab.outcome.engines import base, prompt, sentences
from steelyard.lab.outcome.engines.base import Answer, EngineFailed, Question
from steelyard.lab.outcome.engines.response_parsing import token_count
from steelyard.support.artifacts import hash_file
from steelyard.support.escape import make_visible
from steelyard.support.regular_file import open_regular_file

_BATCH = 256  # tokens of a prompt between two checks of the time limit
_MAGIC = b"GGUF"
_NUMBER_TOKENS = 8
# What opens a control mark in the templates of the usual families: <|…, <s>, </s>, <start_of_turn>, [INST].
_CONTROL = re.compile(r"<(?=[|｜]|/?s>|(?:start|end)_of_turn>|(?:bos|eos|pad|unk)>)|\[(?=/?INST\])")
_CITATION = re.compile(r"\[(\d{1,9})\]")

Message = dict[str, str]


@dataclass(frozen=True, slots=True)
class Llama:
    """A model file. `timeout` covers a whole answer, citations included."""

    path: Path
    forced: bool = False
    timeout: float = 120.0
    seed: int = 1
    max_tokens: int = 500
    context: int = 8192  # tokens of prompt and answer
    style: str = prompt.PLAIN
    temperature: float = 0
    threads: int = 1  # another number gives another answer, and on a busy machine a slower one
    kind, paid, parallel = base.LOCAL, False, 1

    @property
    def name(self) -> str:
        return make_visible(self.path.stem)

    @property
    def identity(self) -> Mapping[str, Any]:
        _check_magic(self.path)
        return {
            "engine": "llama.cpp",
            "model": self.name,
            "sha256": hash_file(self.path),
            "xllamacpp": _package_version(),
            "prompt": prompt.VERSIONS[self.style],
            "control marks": "spaced",
            "forced": self.forced,
            "temperature": self.temperature,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
            "context": self.context,
            "threads": self.threads,
        }

    @contextmanager
    def open(self) -> Iterator[LlamaSession]:
        _check_magic(self.path)
        try:
            xllamacpp = import_module("xllamacpp")  # it publishes no types
        except ImportError as error:
            raise MissingExtra("engines", "xllamacpp") from error
        settings = xllamacpp.CommonParams()
        settings.model.path = str(self.path)
        settings.n_ctx, settings.n_batch, settings.n_ubatch = self.context, _BATCH, _BATCH
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = self.threads
        settings.n_parallel, settings.n_gpu_layers, settings.cache_ram_mib = 1, 0, 0
        settings.fit_params = settings.warmup = False
        settings.verbosity = -1
        # The package listens on a port of loopback, though we never use it; nobody else can without this.
        settings.api_keys = [secrets.token_hex(16)]
        try:
            session = LlamaSession(self, xllamacpp.Server(settings))
        except RuntimeError:
            raise SteelyardError(
                f"{self.path}: llama.cpp cannot load this model; it may be damaged, too new or too large for the memory"
            ) from None
        try:
            yield session
        finally:
            session.close()


class LlamaSession:
    """The loaded model; one question at a time."""

    def __init__(self, engine: Llama, server: Any) -> None:
        self._engine, self._server = engine, server
        self._alone = threading.Lock()

    def close(self) -> None:
        self._server = None  # the last reference: this frees the memory

    def ask(self, question: Question) -> Answer:
        with self._alone:
            deadline = time.monotonic() + self._engine.timeout
            asked = prompt.build_messages(question, self._engine.style)
            messages = [{**m, "content": _CONTROL.sub(r"\g<0> ", m["content"])} for m in asked]
            answer = self._generate(messages, deadline, max_tokens=self._engine.max_tokens)
            text, n = answer.text, len(question.sources)
            if not text.strip():
                raise EngineFailed(base.MALFORMED, "an answer without text")
            if self._engine.forced and question.sources:
                text = " ".join(self._force_citation(s, messages, n, deadline) for s in sentences.split(text))
            return replace(answer, text=text, model=self._engine.name)

    def _force_citation(self, sentence: str, messages: Sequence[Message], sources: int, deadline: float) -> str:
        if any(1 <= int(n) <= sources for n in _CITATION.findall(sentence)):
            return sentence
        opening = {"role": "assistant", "content": sentences.strip_full_stop(_CONTROL.sub(r"\g<0> ", sentence)) + " ["}
        grammar = "root ::= " + " | ".join(f'"{n}"' for n in range(1, sources + 1))
        # The prompt of this question is the one read last, so reading on from it depends on nothing else.
        answer = self._generate(
            [*messages, opening], deadline, max_tokens=_NUMBER_TOKENS, grammar=grammar, cache_prompt=True
        )
        number = re.search(r"\d{1,9}$", answer.text)
        if not number or not 1 <= int(number[0]) <= sources:
            raise EngineFailed(base.MALFORMED, "the model gave no number for a citation")
        return sentences.add_citation(sentence, int(number[0]))

    def _generate(self, messages: Sequence[Message], deadline: float, **settings: Any) -> Answer:
        """Run the model once; stop it at the deadline."""
        chunks: list[Mapping[str, Any]] = []
        stop = threading.Event()

        def keep_chunk(chunk: Mapping[str, Any]) -> bool:
            chunks.append(chunk)
            return stop.is_set() or time.monotonic() > deadline  # true ends the run

        request = {
            "messages": list(messages),
            "temperature": self._engine.temperature,
            "seed": self._engine.seed,
            "cache_prompt": False,
            "stream": True,
            "return_progress": True,  # so that reading a long prompt can be stopped too
            "stream_options": {"include_usage": True},
            "chat_template_kwargs": {"enable_thinking": False},
            **settings,
        }
        try:
            # In a thread of its own: the package swallows exceptions in its callback, so a Ctrl-C here would be lost,
            # and a word of the answer with it.
            with ThreadPoolExecutor(1) as worker:
                try:
                    worker.submit(self._server.handle_chat_completions, request, keep_chunk).result()
                finally:
                    stop.set()
        except RuntimeError as error:
            raise EngineFailed(base.CRASHED, f"llama.cpp: {make_visible(str(error)[:160])}") from None
        if time.monotonic() > deadline:
            raise EngineFailed(base.TIMED_OUT, f"no whole answer within {self._engine.timeout:g} s; allow more time")
        return _join_chunks(chunks)


def _join_chunks(chunks: Sequence[Mapping[str, Any]]) -> Answer:
    texts, finish = [], "stop"
    usage: Mapping[str, Any] = {}
    for chunk in chunks:
        if error := chunk.get("error"):
            kind = base.TOO_LARGE if error.get("type") == "exceed_context_size_error" else base.CRASHED
            raise EngineFailed(kind, f"llama.cpp: {make_visible(str(error.get('message'))[:160])}")
        usage = chunk.get("usage") or usage
        for choice in chunk.get("choices", ()):
            texts.append(choice["delta"].get("content") or "")
            finish = choice.get("finish_reason") or finish
    text = prompt.replace_surrogates("".join(texts))
    tokens_in, tokens_out = token_count(usage.get("prompt_tokens")), token_count(usage.get("completion_tokens"))
    return Answer(text, finish=finish, tokens_in=tokens_in, tokens_out=tokens_out)


def _check_magic(path: Path) -> None:
    try:
        with open_regular_file(path) as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise SteelyardError(f"{path}: not a GGUF model; give the path of a .gguf file")
    except OSError as error:
        raise SteelyardError(f"{path}: cannot be read ({error.strerror}); give the path of a .gguf file") from error


def _package_version() -> str:
    try:
        return metadata.version("xllamacpp")
    except metadata.PackageNotFoundError:
        return ""
