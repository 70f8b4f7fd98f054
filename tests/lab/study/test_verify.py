"""Verify catches a lie in an artifact, in a document and in a claim; the project itself holds none."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from steelyard.cli.verify import printed
from steelyard.lab.study.verify import MARK, Verified, verify
from tests.conftest import ROOT
from tests.lab.study.trees import CLAIMS, MADE, PAGE, printer, tree

MARKED = ("README.md", *sorted(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md")))


def verified(root: Path) -> Verified:
    return verify(root, printer(root))


def problems(root: Path) -> list[str]:
    return [str(problem) for problem in verified(root).problems]


def test_a_project_without_a_lie_is_counted_by_kind(tmp_path: Path) -> None:
    found = verified(tree(tmp_path))
    assert not found.problems
    assert (found.documents, found.artifacts) == (1, 1)
    assert found.counts == {"printed": 2, "artifact": 2, "code": 1, "paper": 1, "elsewhere": 2}
    assert next(found.lines()) == "8 numbers in 1 marked documents"


def test_an_artifact_that_changed_is_caught_in_the_sentence_and_in_the_table(tmp_path: Path) -> None:
    sentence, table = problems(tree(tmp_path, made={**MADE, "result": {"pages": 13, "share": [0.0417]}}))
    assert sentence.startswith("docs/page.md:5: prints 12 in ")
    assert "docs/artifacts/made.json#/result/pages says 13; write that, or correct the address" in sentence
    assert table.startswith("docs/page.md:11: prints '| 12 | 4.2% |'")
    assert "says '| 13 | 4.2% |'; `./run docs` writes the block anew" in table


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("We tried 12 pages", "We tried 21 pages", "is not there; remove the claim"),
        ("five gates", "five gates of 6", "6 has no address: "),
        ("| 12 | 4.2% |", "| 12 | 4.1% |", "prints '| 12 | 4.1% |', but `python -m tools.made --table`"),
        ("# Gates", "# Seven gates", "Seven has no address"),
        ("failed, which", "failed (4.2% of them failed), which", "stands there 2 times; make the text longer"),
    ],
)
def test_a_document_that_changed_is_caught(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert PAGE.count(old) == 1
    assert any(message in problem for problem in problems(tree(tmp_path, page=PAGE.replace(old, new))))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("/result/pages", "/result/page", "does not exist: no 'page'; did you mean 'pages'?"),
        ("made.json#/result/share", "gone.json#/result/share", "gone.json cannot be read"),
        ("gates:NAMES", "gates:NAME", "does not exist: no 'NAME' there"),
        ("gates:NAMES|len", "gates:DRAWS", "prints five in "),
        ("scale = 100", "scale = 10", "says 0.4"),
        ("scale = 100", "scale = 100\ndigits = 0", "says 4; write that"),
        ('text = "4.2% of them failed"', 'text = "of them failed"', "holds 0 numbers, its claim 1 addresses"),
        ('text = "4.2% of', 'text = "five gates; 4.2% of', "holds 2 numbers, its claim 1 addresses"),
        ('text = "which the paper puts at 7%"', 'text = "pages and five gates"', "shares a number with another claim"),
        ('place = "docs/page.md"\ntext = "4.2%', 'place = "docs/gone.md"\ntext = "4.2%', "docs/gone.md cannot be read"),
    ],
)
def test_a_claim_that_changed_is_caught(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert CLAIMS.count(old) == 1
    assert any(message in problem for problem in problems(tree(tmp_path, claims=CLAIMS.replace(old, new))))


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ('{"inputs": {"a": "00"}, "result": NaN}', "is not valid JSON (NaN is no number)"),
        ('{"inputs": {"a": "00"}, "result": -Infinity}', "is not valid JSON (-Infinity is no number)"),
        ("{", "is not valid JSON"),
        (json.dumps({"result": MADE["result"]}), "does not say what it was made from"),
        (json.dumps({**MADE, "inputs": {}}), "does not say what it was made from"),
        (json.dumps({**MADE, "inputs": {"pages.jsonl": "ab" * 31}}), "the hash of its input pages.jsonl"),
    ],
)
def test_an_artifact_must_be_sound(tmp_path: Path, made: str, message: str) -> None:
    root = tree(tmp_path, page="# No numbers\n", claims="", made=made)
    (problem,) = problems(root)
    assert problem.startswith("docs/artifacts/made.json: ")
    assert message in problem


def test_a_table_whose_artifact_is_gone_is_caught(tmp_path: Path) -> None:
    root = tree(tmp_path)
    (root / "docs" / "artifacts" / "made.json").unlink()
    found = problems(root)
    assert any("`python -m tools.made --table` prints nothing: " in problem for problem in found)


def test_without_the_mark_numbers_are_free_but_claims_still_hold(tmp_path: Path) -> None:
    page = PAGE.replace(MARK, "").replace("# Gates", "# 99 gates")
    root = tree(tmp_path, page=page)
    assert problems(root) == []
    (root / "docs" / "page.md").write_text(page.replace("4.2% of them", "4.4% of them"))
    assert any("'4.2% of them failed' is not there" in problem for problem in problems(root))


def test_no_number_of_this_project_is_unaudited() -> None:
    found = verify(ROOT, lambda commands: printed(ROOT, commands))
    assert [str(problem) for problem in found.problems] == []
    assert found.counts["printed"] > 2000


@pytest.mark.parametrize("name", MARKED)
def test_the_documents_with_the_figures_are_marked(name: str) -> None:
    assert MARK in (ROOT / name).read_text("utf-8").splitlines()


def test_a_lie_in_a_copy_of_this_project_is_caught(tmp_path: Path) -> None:
    for name in ("docs", "tools", "steelyard"):
        ignored = shutil.ignore_patterns("__pycache__", "images")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    shutil.copy(ROOT / "README.md", tmp_path)
    artifact = tmp_path / "docs" / "artifacts" / "gaming.json"
    made = json.loads(artifact.read_text("utf-8"))
    made["result"]["pages"]["test"] = 149
    made["result"]["attacks"]["duplication"]["layered_auc"] = 0.5
    artifact.write_text(json.dumps(made), "utf-8")
    found = [str(p) for p in verify(tmp_path, lambda commands: printed(tmp_path, commands)).problems]
    assert any("prints 150" in p and "says 149" in p for p in found)
    assert any("python -m tools.gaming --table 0" in p for p in found)
    assert all(p.startswith("docs/gaming.md:") for p in found)


ALL_TESTS = "docs/artifacts/all-tests.json"


def ran(**counts: int) -> dict[str, Any]:
    slow = {"tests/a.py": {"passed": 3}, "tests/b.py": {"passed": 1, "skipped": 1}}
    return {"inputs": {"package": "ab" * 32}, "result": {"date": "2026-07-01", "counts": counts, "slow": slow}}


def test_the_dated_run_of_all_tests_is_told(tmp_path: Path) -> None:
    root = tree(tmp_path)
    (root / ALL_TESTS).write_text(json.dumps(ran(passed=10_000, failed=0, skipped=4)), "utf-8")
    found = verified(root)
    assert found.problems == []
    assert "all tests, 5 slow ones among them: 10,000 passed, 0 failed, on 2026-07-01" in list(found.lines())


def test_a_failure_in_the_run_of_all_tests_is_a_problem(tmp_path: Path) -> None:
    root = tree(tmp_path)
    (root / ALL_TESTS).write_text(json.dumps(ran(passed=10, failed=1, error=1)), "utf-8")
    (problem,) = verified(root).problems
    assert str(problem) == f"{ALL_TESTS}: 2 tests failed on 2026-07-01; mend them, run it again"


@pytest.mark.parametrize("broken", [{}, {"result": {}}, {"result": {"counts": {"passed": "many"}}}, []])
def test_a_broken_run_of_all_tests_is_a_problem(tmp_path: Path, broken: Any) -> None:
    root = tree(tmp_path)
    (root / ALL_TESTS).write_text(json.dumps(broken), "utf-8")
    assert any("run `./run test --all` again" in str(p) for p in verified(root).problems)
