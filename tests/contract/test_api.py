"""The Python API: documented with examples that run, typed, and the same numbers as the command line."""

from __future__ import annotations

import doctest
import inspect
import json
import math
import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import steelyard
from tests.conftest import ROOT, SENTENCE, run_here

AS_OF = "2026-07-01"
HTML = ROOT / "examples" / "html" / "hard-water-at-home.html"
FUNCTIONS = [getattr(steelyard, name) for name in steelyard.__all__ if inspect.isfunction(getattr(steelyard, name))]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_example_of_every_function_runs(function, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    (test,) = finder.find(function, function.__name__, globs=dict(vars(steelyard)))
    assert test.examples
    assert runner.run(test).failed == 0


def test_every_public_function_documents_its_arguments_and_results() -> None:
    for function in FUNCTIONS:
        text = inspect.getdoc(function) or ""
        head, _, arguments = text.partition("Args:")
        assert head.strip().split("\n")[0].endswith("."), function
        assert all(f"    {name}: " in arguments for name in inspect.signature(function).parameters), function
        assert "Returns:" in text or "Yields:" in text, function


def test_every_name_of_the_api_can_be_imported() -> None:
    for name in steelyard.__all__:
        assert getattr(steelyard, name) is not None
    assert set(steelyard.__all__) <= set(dir(steelyard))
    with pytest.raises(AttributeError):
        steelyard.nothing_of_that_name  # noqa: B018


def test_the_name_of_an_existing_file_is_refused_with_the_function_that_reads_it(page: Path) -> None:
    for function in (steelyard.score, steelyard.detect):
        with pytest.raises(steelyard.NotAText, match="score_file"):
            function(str(page))


def test_a_text_that_could_be_a_name_but_is_no_file_is_scored() -> None:
    assert steelyard.score("missing.md", as_of=AS_OF).guard == "near-empty"
    assert steelyard.score("\0" * 20 + "x", as_of=AS_OF).score >= 0


def test_what_is_no_string_is_refused_and_no_file_is_read_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("text", "html"):
        (tmp_path / name).write_text(SENTENCE * 20)
    monkeypatch.chdir(tmp_path)
    functions: tuple[Any, ...] = (steelyard.score, steelyard.score_html, steelyard.detect)
    for function, wrong in product(functions, (None, b"a text in bytes", 3)):
        with pytest.raises(TypeError, match="a page is a string"):
            function(wrong)


def test_html_scores_the_same_by_every_way_in() -> None:
    html = HTML.read_text("utf-8")
    scores = {
        steelyard.score(html, as_of=AS_OF).score,
        steelyard.score_file(HTML, as_of=AS_OF).score,
        steelyard.score_html(html, as_of=AS_OF).score,
        *(r.score for r in steelyard.score_files([HTML], as_of=AS_OF) if isinstance(r, steelyard.PageResult)),
        json.loads(run_here("score", str(HTML), "--format", "json").stdout)["pages"][0]["score"],
    }
    assert len(scores) == 1, scores


def test_a_result_is_an_entry_of_the_json_output(page: Path) -> None:
    for detect, flags in ((True, ()), (False, ("--no-detect",))):
        entry = json.loads(run_here("score", str(page), "--format", "json", *flags).stdout)["pages"][0]
        result = steelyard.score_file(page, as_of=AS_OF, detect=detect)
        assert json.loads(json.dumps(result.to_dict())) == entry
    assert steelyard.score_file(page, as_of=AS_OF).manipulation is None


def test_files_are_scored_in_order_and_a_bad_one_costs_no_other(page: Path, tmp_path: Path) -> None:
    binary = tmp_path / "binary.bin"
    binary.write_bytes(bytes(range(256)) * 10)
    found = list(steelyard.score_files([page, binary, tmp_path / "gone.md", page], as_of=AS_OF))
    assert [type(r).__name__ for r in found] == ["PageResult", "PageError", "PageError", "PageResult"]
    assert [r.source for r in found] == [str(page), str(binary), str(tmp_path / "gone.md"), str(page)]


def test_several_processes_give_the_same_results_without_a_guard_in_the_calling_script(page: Path) -> None:
    code = (
        "import steelyard\n"
        f"found = steelyard.score_files([{str(page)!r}] * 3, jobs=2, as_of={AS_OF!r})\n"
        "print(*[r.score for r in found])\n"
    )
    script = page.parent / "script.py"
    script.write_text(code)
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    line = [sys.executable, str(script)]
    done = subprocess.run(line, capture_output=True, text=True, check=True, env=variables, timeout=120)
    assert {float(s) for s in done.stdout.split()} == {steelyard.score_file(page, as_of=AS_OF).score}


def test_a_row_is_flat_and_its_columns_are_the_same_for_every_page(page: Path) -> None:
    rows = [steelyard.score_file(page, as_of=AS_OF).to_row(), steelyard.score_html("<p>x</p>", as_of=AS_OF).to_row()]
    assert rows[0].keys() == rows[1].keys()
    (of_a_text,) = [scored.to_row() for scored in steelyard.score_many([SENTENCE], as_of=AS_OF)]
    added = {"source", "url", "kind", "kind_certain", "flagged", "published", "updated", "dates_from"}
    added |= {"reading", "read_share", "reading_reason"}
    assert rows[0].keys() - of_a_text.keys() == added
    assert all(v is None or isinstance(v, str | int | float) for row in rows for v in row.values())
    assert all(math.isfinite(v) for row in rows for v in row.values() if isinstance(v, float))
    assert rows[0]["shannon_entropy"] == steelyard.score_file(page, as_of=AS_OF).page.readings["shannon_entropy"].value


def test_score_html_takes_any_html_however_it_opens() -> None:
    fragment = f"<h1>Ships</h1><p>{SENTENCE * 6}</p>"
    result = steelyard.score_html(fragment, url="https://example.org/ships", as_of=AS_OF)
    assert result.extracted
    assert result.url == result.source == "https://example.org/ships"
    assert "<p>" not in (result.text or "")


def test_a_page_has_the_hash_of_its_own_language() -> None:
    english = steelyard.score(SENTENCE * 10, as_of=AS_OF, language="en").scoring
    french = steelyard.score(SENTENCE * 10, as_of=AS_OF, language="fr").scoring
    prior = steelyard.score(SENTENCE * 10, as_of=AS_OF, language="en", weights="prior").scoring
    html = steelyard.score_html(f"<p>{SENTENCE * 10}</p>", as_of=AS_OF, language="en").page.scoring
    assert len({english.hash, french.hash, prior.hash, html.hash}) == 4
    assert english.language_hash == prior.language_hash == html.language_hash != french.language_hash
