"""The demo pages, captured once for all tests of the laboratory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # comes with scikit-learn, without types

from steelyard.lab.corpus import Corpus, loading
from steelyard.lab.protocol.capture import Capture, CapturePlan, build_header, capture
from steelyard.lab.protocol.component_values import ComponentValues, read_component_values, split_train_test
from steelyard.lab.scorers.own import OwnScorer
from tests.lab.protocol.synthetic import AS_OF


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Matrices of 5 x 11: on a busy machine the threads of the linear algebra wait for one another, twenty times as
    long as the work takes."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="session")
def demo() -> Corpus:
    return loading.load_corpus("demo")


def captured(corpus: Corpus, language: str) -> Capture:
    pages, scorer, plan = corpus.pages_in(language), OwnScorer(as_of=AS_OF), CapturePlan()
    return capture(
        pages, scorer, build_header(pages, corpus.digest, corpus.name, scorer, plan), plan, jobs=1, quiet=True
    )


@pytest.fixture(scope="session")
def english(demo: Corpus) -> Capture:
    return captured(demo, "en")


@pytest.fixture(scope="session")
def french(demo: Corpus) -> Capture:
    return captured(demo, "fr")


@pytest.fixture(scope="session")
def train(english: Capture) -> ComponentValues:
    return split_train_test(english)[0]


@pytest.fixture(scope="session")
def held_out(english: Capture) -> ComponentValues:
    return split_train_test(english)[1]


@pytest.fixture(scope="session")
def french_values(french: Capture) -> ComponentValues:
    return read_component_values(french)
