"""The code that the documents show: it runs, and it prints what they say."""

from __future__ import annotations

import doctest
import re

import pytest

from tests.conftest import ROOT

TUTORIAL = ROOT / "examples" / "tutorial"


def read_python_blocks(page: str) -> list[str]:
    text = (ROOT / "docs" / page).read_text("utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


def test_the_tutorial_shows_the_scorers_as_they_are() -> None:
    files = [path.read_text("utf-8") for path in TUTORIAL.glob("*.py")]
    assert sorted(read_python_blocks("tutorial.md")) == sorted(files)


@pytest.mark.parametrize("shown", read_python_blocks("protocol.md"))
def test_the_code_on_the_protocol_runs(shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(shown, "protocol.md", "exec"), {})  # noqa: S102 - our own document


def test_the_protocol_says_what_its_code_gives() -> None:
    import steelyard

    found = steelyard.falsify(lambda text: min(100, len(set(text.split())) / 4), "demo", draws=0)
    assert (found.survives, found.gates["length-bias"].status) == (False, "fail")


def test_the_api_page_prints_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    session = "\n".join(read_python_blocks("api.md"))
    test = doctest.DocTestParser().get_doctest(session, {}, "api.md", "docs/api.md", 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0
