"""What a user types, and which scorer it is."""

from __future__ import annotations

import json
import pickle
from datetime import date
from pathlib import Path

import pytest

from steelyard.components import NAMES
from steelyard.errors import SteelyardError
from steelyard.lab.scorers import peers
from steelyard.lab.scorers.base import Range, Scorer
from steelyard.lab.scorers.command import CommandScorer
from steelyard.lab.scorers.endpoint import EndpointScorer
from steelyard.lab.scorers.function import FunctionScorer, IsolatedScorer
from steelyard.lab.scorers.own import OwnScorer
from steelyard.lab.scorers.resolve import FORMS, resolve
from steelyard.scoring import editions

AS_OF = date(2026, 7, 1)
HERE = Path(__file__).parent
SCALE = Range(0, 10)


def find(spec: str, *, isolate: bool = False, range: Range = SCALE, timeout: float = 3.0) -> Scorer:
    return resolve(spec, range=range, timeout=timeout, isolate=isolate, folder=HERE, as_of=AS_OF)


def test_each_form_is_the_scorer_it_says():
    for name in ("shipped", "prior", "equal"):
        assert find(name) == OwnScorer(weights=name, as_of=AS_OF)
    for name in NAMES[:2]:
        assert find(name) == OwnScorer(component=name, as_of=AS_OF)
        assert find(name).name == name
    for name in editions.NAMES:
        assert find(name) == OwnScorer(as_of=AS_OF, edition=name, weights=editions.load(name).weights)
    for name in peers.NAMES:
        assert (find(name).name, find(name).parallel) == (name, True)
    for url in ("http://127.0.0.1:8000/score", "https://host.example/s.json", "HTTPS://host.example"):
        assert find(url) == EndpointScorer(url, SCALE, 3.0)
    for target in ("mine:score", "a.b.c:D.e", "größe:maß"):
        assert find(target) == FunctionScorer(target, HERE, SCALE, 3.0)
        assert find(target, isolate=True) == IsolatedScorer(target, HERE, SCALE, 3.0)
    for spec, argv in [
        ("python3 score.py --flag 'two words'", ("python3", "score.py", "--flag", "two words")),
        ("./score", ("./score",)),
        ("sh", ("sh",)),
        ("command: length", ("length",)),
        ("command:python3 -m a:b", ("python3", "-m", "a:b")),
        ("cat weights.toml", ("cat", "weights.toml")),
    ]:
        assert find(spec) == CommandScorer(argv, SCALE, 3.0, HERE)


def test_a_file_of_weights_is_our_scorer(tmp_path: Path):
    share = 1 / len(NAMES)
    as_json, as_toml = json.dumps(dict.fromkeys(NAMES, share)), "\n".join(f"{n} = {share}" for n in NAMES)
    for name, content in (("own.toml", as_toml), ("own.json", as_json), ("my own.toml", as_toml)):
        path = tmp_path / name
        path.write_text(content)
        assert find(str(path)) == OwnScorer(weights=str(path), as_of=AS_OF)
        assert find(str(path)).name == name


def test_a_mistake_in_a_file_of_weights_is_reported_at_once(tmp_path: Path):
    (tmp_path / "w.toml").write_text("shannon = 1.0")
    with pytest.raises(SteelyardError, match=r"unknown component 'shannon'"):
        find(str(tmp_path / "w.toml"))


def test_our_scorer_reads_pages_as_the_first_edition_that_has_their_language():
    for language, edition in (("en", "paper"), ("fr", "paper"), ("de", "2026"), ("es", "2026")):
        scorer = resolve(NAMES[0], folder=HERE, as_of=AS_OF, language=language)
        assert scorer == OwnScorer(as_of=AS_OF, edition=edition, component=NAMES[0])


def test_what_is_none_of_these_lists_the_forms_and_the_nearest_name():
    with pytest.raises(SteelyardError) as caught:
        find("gopher-rule")
    assert "did you mean 'gopher-rules'?" in str(caught.value)
    assert all(form in str(caught.value) for form in FORMS)
    for half in ("", "command:", "command:   ", "python3 'open", "http://", "https:///path"):
        with pytest.raises(SteelyardError):
            find(half)


def test_an_empty_range_and_no_time_are_refused():
    for low, high in ((1.0, 1.0), (2.0, 1.0), (0.0, float("inf")), (float("nan"), 1.0)):
        with pytest.raises(SteelyardError, match=r"the range .* is empty|lower bound"):
            find("a:b", range=Range(low, high))
    for seconds in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(SteelyardError, match=r"time limit"):
            find("a:b", timeout=seconds)


def test_every_scorer_can_be_sent_to_another_process():
    for spec in ("shipped", "shannon_entropy", "http://h.example/", "a:b", "sh -c x", "compression"):
        for isolate in (False, True):
            scorer = find(spec, isolate=isolate)
            assert pickle.loads(pickle.dumps(scorer)) == scorer  # noqa: S301 - our own bytes


def test_a_function_named_by_its_file_is_answered_with_its_module(tmp_path: Path):
    for spec, advice in [
        ("mine.py:score", "write mine:score$"),
        ("./mine.py:score", "write mine:score$"),
        ("inner/mine.py:Scorer.score", r"write inner\.mine:Scorer\.score$"),
        ("my-folder/mine.py:score", "write mine:score and run from the folder that holds it"),
    ]:
        path = tmp_path / spec.partition(":")[0]
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
        with pytest.raises(SteelyardError, match=advice):
            resolve(spec, folder=tmp_path, as_of=AS_OF)
