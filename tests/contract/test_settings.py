"""Settings are put together and checked in one place, whichever way they come."""

from __future__ import annotations

import ast
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import steelyard
from steelyard.errors import InvalidDate, UnknownName, UnsupportedLanguage
from steelyard.scoring import editions, weighting
from steelyard.settings import Settings

ENGLISH = "# Boats\n\n" + "The harbour master counted the boats of the village in the morning. " * 20


def test_nothing_but_resolve_makes_settings() -> None:
    package = Path(steelyard.__file__).parent
    makers = [
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Settings"
    ]
    assert makers == []


def test_names_and_loaded_values_mean_the_same() -> None:
    named = Settings.resolve(edition="2026", weights="prior", as_of="2026-07-01")
    edition, weights = editions.load("2026"), weighting.load("prior")
    assert named == Settings.resolve(edition=edition, weights=weights, as_of=date(2026, 7, 1))
    assert named.to_dict() == {"edition": "2026", "weights": "prior", "as_of": "2026-07-01"}


def test_the_weights_are_those_of_the_edition_unless_others_are_named() -> None:
    assert Settings.resolve(edition="2026").weights.name == "2026"
    assert Settings.resolve().weights.name == "shipped"


def test_a_wrong_value_is_refused_at_once() -> None:
    wrong: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"edition": "2025"}, UnknownName), ({"weights": "heavy"}, UnknownName), ({"language": "xx"}, UnknownName),
        ({"language": "de"}, UnsupportedLanguage), ({"as_of": "yesterday"}, InvalidDate),
    ]  # fmt: skip
    for values, error in wrong:
        with pytest.raises(error):
            Settings.resolve(**values)
    with pytest.raises(UnsupportedLanguage, match="'de' is not part of edition paper, which has en, fr; edition 2026"):
        steelyard.score(ENGLISH, language="de")


def test_filter_refuses_a_language_that_no_row_could_have(tmp_path: Path, run: Any) -> None:
    (tmp_path / "in.jsonl").write_text(json.dumps({"text": ENGLISH}) + "\n")
    done = run("filter", str(tmp_path / "in.jsonl"), "-o", str(tmp_path / "out.jsonl"), "--language", "de")
    assert done.returncode == 2
    assert "language 'de' is not part of edition paper" in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


def test_a_scorer_has_its_settings_as_attributes_and_scores_as_the_functions_do() -> None:
    scorer = steelyard.Scorer(edition="2026", weights="prior", as_of="2026-07-01", language="en")
    assert (scorer.edition, scorer.weights, scorer.as_of, scorer.language) == ("2026", "prior", date(2026, 7, 1), "en")
    assert repr(scorer) == "Scorer(edition='2026', weights='prior', as_of='2026-07-01', language='en')"
    options: dict[str, Any] = {"edition": "2026", "weights": "prior", "as_of": "2026-07-01", "language": "en"}
    assert scorer.score(ENGLISH, title="x") == steelyard.score(ENGLISH, title="x", **options)
    assert scorer.score_many([ENGLISH]) == steelyard.score_many([ENGLISH], **options)
    page = steelyard.score_html("<h1>Boats</h1>" + f"<p>{ENGLISH}</p>", **options)
    assert scorer.score_html("<h1>Boats</h1>" + f"<p>{ENGLISH}</p>") == page
