"""The claims file: what an address may be, what it finds, when it agrees with what is printed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from steelyard.lab.study.claims import Address, ClaimsInvalid, NothingThere, Shelf, load
from steelyard.lab.study.numbers import numbers
from tests.lab.study.trees import tree

HEAD = '[[claim]]\nplace = "docs/page.md"\ntext = "12 pages"\n'


def printed(text: str, value: float, **how: Any) -> str | None:
    (number,) = numbers(text)
    return Address("code", "x", **how).printed(value, number)


@pytest.mark.parametrize(
    ("text", "value", "how"),
    [
        ("4.2%", 0.0417, {"scale": 100}),
        ("0.95", 0.9549, {}),
        ("12", 12.4, {}),
        ("−2.00", -1.998, {}),
        ("five", 5, {}),
        ("three quarters", 0.75, {}),
        ("4,200", 4177, {"digits": -2}),
        ("50", 47, {"tolerance": 5}),
        ("+2.50", 2.5, {"format": "+.2f"}),
        ("−2.50", -2.5, {"format": "+.2f"}),
        ("4,177", 4177, {"format": ",.0f"}),
    ],
)
def test_what_is_rounded_as_printed_agrees(text: str, value: float, how: dict[str, Any]) -> None:
    assert printed(text, value, **how) is None


@pytest.mark.parametrize(
    ("text", "value", "how", "right"),
    [
        ("4.2%", 0.0427, {"scale": 100}, "4.3"),
        ("0.95", 0.956, {}, "0.96"),
        ("five", 6, {}, "6"),
        ("2.0", -2.0, {}, "−2.0"),
        ("0.950", 0.95, {"digits": 3, "scale": 2}, "1.900"),
        ("50", 47, {"tolerance": 2}, "47 (± 2)"),
        ("2.5", 2.5, {"format": "+.2f"}, "+2.50"),
    ],
)
def test_what_should_be_printed_is_said(text: str, value: float, how: dict[str, Any], right: str) -> None:
    assert printed(text, value, **how) == right


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("docs/artifacts/made.json#/result/pages", 12),
        ("docs/artifacts/made.json#/result/share/0", 0.0417),
        ("docs/artifacts/made.json#/result/share|len", 1),
        ("docs/artifacts/made.json#/result/a~1b/~0", 3),
        ("docs/artifacts/made.json#/result/by|sum", 7),
        ("docs/data.toml#/words", 72),
    ],
)
def test_an_artifact_is_read_at_its_pointer(tmp_path: Path, where: str, expected: float) -> None:
    made = {"result": {"pages": 12, "share": [0.0417], "a/b": {"~": 3}, "by": {"x": 3, "y": 4}}}
    tree(tmp_path, made=made)
    (tmp_path / "docs" / "data.toml").write_text("words = 72\n")
    assert Shelf(tmp_path).value(Address("artifact", where)) == expected


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("steelyard.lab.corpus.corpus:MOST_WORDS", 400),
        ("steelyard.detectors.registry:DETECTORS|len", 11),
        ("steelyard.lab.protocol.gates.saturation:Saturation/bound", 3),
        ("steelyard.scoring.guards:CAPS/0/1", 35),
        ("steelyard.components.semantic_coherence:SemanticCoherence/formula|numbers|2", 17),
        ("steelyard.components.shannon_entropy:ShannonEntropy/degenerate/2/reason|numbers|0", 5),
        ("steelyard.lab.edits.postconditions:EVIDENCE/statistics/1", 6),
    ],
)
def test_the_code_is_read_at_its_name(tmp_path: Path, where: str, expected: float) -> None:
    assert Shelf(tmp_path).value(Address("code", where)) == expected


@pytest.mark.parametrize(
    ("kind", "where", "message"),
    [
        ("artifact", "docs/artifacts/gone.json#/a", "cannot be read"),
        ("artifact", "docs/artifacts/made.json#/result/page", "no 'page'; did you mean 'pages'?"),
        ("artifact", "docs/artifacts/made.json#/result/share/1", "1 items, no number 1"),
        ("artifact", "docs/artifacts/made.json#/result/pages/x", "no 'x' there"),
        ("artifact", "docs/artifacts/made.json#/result", "not a number"),
        ("artifact", "docs/artifacts/made.json#/result/pages|len", "nothing there that |len could count"),
        ("code", "steelyard.no_such:NAME", "does not exist"),
        ("code", "steelyard.lab.corpus.corpus:MOST_WORD", "no 'MOST_WORD' there"),
        ("code", "os:getpid", "none of our modules"),
        ("code", "steelyard.lab.corpus.corpus:VIEWS", "not a number"),
    ],
)
def test_an_address_that_leads_nowhere_says_so(tmp_path: Path, kind: str, where: str, message: str) -> None:
    tree(tmp_path)
    with pytest.raises(NothingThere) as error:
        Shelf(tmp_path).value(Address(kind, where))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ("[[claim]]\ntext = '5'\nfixed = 'x'\n", "has no `place`"),
        (HEAD, "needs exactly one of artifact, code, paper, fixed"),
        (HEAD + "fixed = 'x'\npaper = 'y'\n", "needs exactly one of"),
        (HEAD + "fixed = ''\n", "needs exactly one of"),
        (HEAD + "artifect = 'x'\n", "unknown key 'artifect'; did you mean 'artifact'?"),
        (HEAD + "fixed = 'x'\nnumbers = [{ fixed = 'y' }]\n", "beside them"),
        (HEAD + "code = 'a:B|mean'\n", "unknown step |mean"),
        (HEAD + "code = 'a:B'\ndigits = 1\ntolerance = 2\n", "takes one of"),
        (HEAD + "code = 'a:B'\nscale = '100'\n", "`scale` cannot be '100'"),
        ("[claims]\n", "unknown table 'claims'"),
        ("claim = 3\n", "not valid"),
        ("[[claim", "not valid TOML"),
    ],
)
def test_a_claims_file_that_breaks_its_form_is_refused(tmp_path: Path, claims: str, message: str) -> None:
    with pytest.raises(ClaimsInvalid) as error:
        load(tree(tmp_path, claims=claims))
    assert message in str(error.value)


def test_a_folder_without_claims_is_no_project(tmp_path: Path) -> None:
    with pytest.raises(ClaimsInvalid, match=r"no docs/claims\.toml here"):
        load(tmp_path)


def test_a_claim_is_found_across_line_breaks(tmp_path: Path) -> None:
    first, *_ = load(tree(tmp_path))
    text = "We tried 12\n  pages and five\tgates"
    assert first.spans(f"{text}.") == [(0, len(text))]
