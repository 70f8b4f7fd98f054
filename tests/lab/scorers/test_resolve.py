"""What a user types, and which scorer it is."""

from __future__ import annotations

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


def resolved(spec: str, *, isolate: bool = False, range: Range = SCALE, timeout: float = 3.0) -> Scorer:
    return resolve(spec, range=range, timeout=timeout, isolate=isolate, folder=HERE, as_of=AS_OF)


@pytest.mark.parametrize("name", ["shipped", "prior", "equal"])
def test_a_weighting_is_our_scorer(name: str):
    assert resolved(name) == OwnScorer(weights=name, as_of=AS_OF)


@pytest.mark.parametrize("file", ["own.toml", "own.json", "my own.toml"])
def test_a_file_of_weights_is_our_scorer(file: str, tmp_path: Path):
    path = tmp_path / file
    share = 1 / len(NAMES)
    lines = [f'"{n}": {share}' if path.suffix == ".json" else f"{n} = {share}" for n in NAMES]
    path.write_text("{" + ",".join(lines) + "}" if path.suffix == ".json" else "\n".join(lines))
    assert resolved(str(path)) == OwnScorer(weights=str(path), as_of=AS_OF)
    assert resolved(str(path)).name == file


def test_a_mistake_in_a_file_of_weights_is_reported_at_once(tmp_path: Path):
    (tmp_path / "w.toml").write_text("shannon = 1.0")
    with pytest.raises(SteelyardError, match=r"unknown component 'shannon'"):
        resolved(str(tmp_path / "w.toml"))


@pytest.mark.parametrize("name", NAMES[:2])
def test_a_component_is_our_scorer_with_that_component_alone(name: str):
    assert resolved(name) == OwnScorer(component=name, as_of=AS_OF)
    assert resolved(name).name == name


@pytest.mark.parametrize(("language", "edition"), [("en", "paper"), ("fr", "paper"), ("de", "2026"), ("es", "2026")])
def test_our_scorer_reads_pages_as_the_first_edition_that_has_their_language(language: str, edition: str):
    found = resolve(NAMES[0], folder=HERE, as_of=AS_OF, language=language)
    assert found == OwnScorer(as_of=AS_OF, edition=edition, component=NAMES[0])


@pytest.mark.parametrize("name", editions.NAMES)
def test_the_name_of_an_edition_is_its_score_with_its_weights(name: str):
    assert resolved(name) == OwnScorer(as_of=AS_OF, edition=name, weights=editions.load(name).weights)


@pytest.mark.parametrize("name", peers.NAMES)
def test_a_peer_is_found_by_its_name(name: str):
    scorer = resolved(name)
    assert scorer.name == name
    assert scorer.parallel


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/score", "https://host.example/s.json", "HTTPS://host.example"])
def test_an_address_is_an_endpoint(url: str):
    assert resolved(url) == EndpointScorer(url, SCALE, 3.0)


@pytest.mark.parametrize("target", ["mine:score", "a.b.c:D.e", "größe:maß"])
def test_a_function_runs_here_or_isolated(target: str):
    assert resolved(target) == FunctionScorer(target, HERE, SCALE, 3.0)
    assert resolved(target, isolate=True) == IsolatedScorer(target, HERE, SCALE, 3.0)


@pytest.mark.parametrize(
    ("spec", "argv"),
    [
        ("python3 score.py --flag 'two words'", ("python3", "score.py", "--flag", "two words")),
        ("./score", ("./score",)),
        ("sh", ("sh",)),
        ("command: length", ("length",)),
        ("command:python3 -m a:b", ("python3", "-m", "a:b")),
        ("cat weights.toml", ("cat", "weights.toml")),
    ],
)
def test_a_command_is_split_as_a_shell_would(spec: str, argv: tuple[str, ...]):
    assert resolved(spec) == CommandScorer(argv, SCALE, 3.0, HERE)


def test_what_is_none_of_these_lists_the_forms_and_the_nearest_name():
    with pytest.raises(SteelyardError) as caught:
        resolved("gopher-rule")
    assert "did you mean 'gopher-rules'?" in str(caught.value)
    assert all(form in str(caught.value) for form in FORMS)


@pytest.mark.parametrize("spec", ["", "command:", "command:   ", "python3 'open", "http://", "https:///path"])
def test_half_a_spec_is_refused(spec: str):
    with pytest.raises(SteelyardError):
        resolved(spec)


def test_an_empty_range_and_no_time_are_refused():
    for low, high in ((1.0, 1.0), (2.0, 1.0), (0.0, float("inf")), (float("nan"), 1.0)):
        with pytest.raises(SteelyardError, match=r"the range .* is empty|lower bound"):
            resolved("a:b", range=Range(low, high))
    for seconds in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(SteelyardError, match=r"time limit"):
            resolved("a:b", timeout=seconds)


@pytest.mark.parametrize("spec", ["shipped", "shannon_entropy", "http://h.example/", "a:b", "sh -c x", "compression"])
def test_every_scorer_can_be_sent_to_another_process(spec: str):
    for isolate in (False, True):
        scorer = resolved(spec, isolate=isolate)
        assert pickle.loads(pickle.dumps(scorer)) == scorer  # noqa: S301 - our own bytes


@pytest.mark.parametrize(
    ("spec", "advice"),
    [
        ("mine.py:score", "write mine:score$"),
        ("./mine.py:score", "write mine:score$"),
        ("inner/mine.py:Scorer.score", r"write inner\.mine:Scorer\.score$"),
        ("my-folder/mine.py:score", "write mine:score and run from the folder that holds it"),
    ],
)
def test_a_function_named_by_its_file_is_answered_with_its_module(spec: str, advice: str, tmp_path: Path):
    path = tmp_path / spec.partition(":")[0]
    path.parent.mkdir(exist_ok=True)
    path.write_text("")
    with pytest.raises(SteelyardError, match=advice):
        resolve(spec, folder=tmp_path, as_of=AS_OF)
