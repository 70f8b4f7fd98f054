"""The demo pages, captured once for all tests of the protocol."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # comes with scikit-learn, without types

from steelyard.lab.corpus import loading as candidates
from steelyard.lab.corpus.corpus import Corpus
from steelyard.lab.protocol.capture import Capture, Plan, capture, header
from steelyard.lab.protocol.readings import Readings, halves_of, readings
from steelyard.lab.scorers.ours import Ours
from tests.lab.protocol.made import AS_OF


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Matrices of 5 x 11: on a busy machine the threads of the linear algebra wait for one another, twenty times as
    long as the work takes."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="session")
def demo() -> Corpus:
    return candidates.load("demo")


def taken(corpus: Corpus, language: str) -> Capture:
    pages, scorer, plan = corpus.of(language), Ours(as_of=AS_OF), Plan()
    return capture(pages, scorer, header(pages, corpus.digest, corpus.name, scorer, plan), plan, jobs=1, quiet=True)


@pytest.fixture(scope="session")
def english(demo: Corpus) -> Capture:
    return taken(demo, "en")


@pytest.fixture(scope="session")
def french(demo: Corpus) -> Capture:
    return taken(demo, "fr")


@pytest.fixture(scope="session")
def train(english: Capture) -> Readings:
    return halves_of(english)[0]


@pytest.fixture(scope="session")
def held_out(english: Capture) -> Readings:
    return halves_of(english)[1]


@pytest.fixture(scope="session")
def beside(french: Capture) -> Readings:
    return readings(french)
