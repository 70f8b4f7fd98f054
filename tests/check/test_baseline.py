"""The baseline: only what becomes worse fails."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from steelyard.check.baseline import load_baseline
from steelyard.check.result import CheckRun
from steelyard.check.run import Checker
from steelyard.configuration.file import forget_files
from steelyard.errors import SteelyardError
from steelyard.scoring import editions
from tests.check.shared import GOOD, OPENER, VAGUE, WEAK, write
from tests.conftest import run_here

MADE = date(2026, 7, 1)
NAME = "steelyard-baseline.json"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    forget_files()
    write(tmp_path, {"steelyard.toml": "min_score = 80", "weak.md": WEAK, "good.md": GOOD})
    _, history = Checker({"uncertain": True}, as_of=MADE, use_baseline=False).run([str(tmp_path)])
    history.make_baseline(MADE).save(tmp_path / NAME)
    return tmp_path


def rerun(site: Path, **options: object) -> CheckRun:
    return Checker({"uncertain": True, **options}).run([str(site)])[0]


def test_what_was_there_before_does_not_fail_and_ageing_neither(site: Path) -> None:
    run = rerun(site)
    assert run.exit_code == 0
    assert run.as_of == MADE
    assert run.compared_with == NAME
    assert all(f.is_new is False for page in run.pages for f in page.findings)


def test_it_is_read_as_it_was_written(site: Path) -> None:
    first = load_baseline(site / NAME)
    assert first is not None
    first.save(site / "again.json")
    assert (site / "again.json").read_bytes() == (site / NAME).read_bytes()
    assert load_baseline(site / "again.json") == first


def test_a_new_finding_fails(site: Path) -> None:
    (site / "weak.md").write_text(f"{WEAK}\n{OPENER.replace('They', 'These')}\n", "utf-8")
    run = rerun(site)
    (page,) = run.failed
    assert page.failures == ("1 new finding",)
    assert [f.rule for f in page.reported if f.is_new and f.level == "warning"] == ["self_containment"]


def test_a_lower_score_fails_beyond_the_tolerance(site: Path) -> None:
    (site / "good.md").write_text("Boats.\n", "utf-8")
    (page,) = rerun(site).failed
    assert "the score fell from 35.00 to 5.00" in page.failures[0]
    assert "1 new finding" in page.failures
    assert rerun(site, max_drop=100.0).failed[0].failures == ("1 new finding",)


def test_a_new_page_is_held_to_the_threshold(site: Path) -> None:
    write(site, {"new.md": f"# New\n\n{VAGUE}\n"})
    (page,) = rerun(site).failed
    assert "below 80" in page.failures[0]


@pytest.mark.parametrize("edit", ["", "\nOne more line about the quay.\n"])
def test_a_renamed_file_is_followed(site: Path, edit: str) -> None:
    (site / "weak.md").unlink()
    write(site, {"pages/boats.md": WEAK + edit})
    run = rerun(site)
    (page,) = [p for p in run.pages if p.path.endswith("boats.md")]
    assert page.before is not None
    assert page.before.path == "weak.md"
    assert not page.failures


def test_improvements_ask_for_an_update_and_gone_pages_are_named(site: Path) -> None:
    (site / "weak.md").write_text(WEAK.replace(VAGUE, "The harbour has 14 quays, counted in 2025."), "utf-8")
    (site / "good.md").unlink()
    better, gone = rerun(site).notes
    assert "--write-baseline" in better
    assert "1 page of the baseline" in gone


def test_another_scoring_asks_for_a_new_baseline(site: Path) -> None:
    with pytest.raises(SteelyardError, match=r"another scoring.*--write-baseline"):
        rerun(site, weights="prior")
    with pytest.raises(SteelyardError, match="made as of 2026-07-01"):
        Checker(as_of=date(2026, 8, 1)).run([str(site)])


@pytest.mark.parametrize("older", [False, True])
def test_a_baseline_of_another_edition_says_which_and_how_to_go_on_with_it(site: Path, *, older: bool) -> None:
    table = json.loads((site / NAME).read_text("utf-8"))
    assert table["edition"] == editions.DEFAULT
    if older:  # it says no edition, and its scoring hash is that of one
        del table["edition"]
        (site / NAME).write_text(json.dumps(table), "utf-8")
    before, now = editions.NAMES if editions.NAMES[0] == editions.DEFAULT else editions.NAMES[::-1]
    with pytest.raises(SteelyardError) as raised:
        rerun(site, edition=now)
    assert (
        f"made in edition {before}, and this run scores in {now}; to go on with it give --edition {before} or write "
        f'edition = "{before}" in the configuration, or write a new one with `steelyard check --write-baseline`'
    ) in str(raised.value)
    write(site, {"steelyard.toml": f'{(site / "steelyard.toml").read_text("utf-8")}\nedition = "{before}"\n'})
    assert not rerun(site).failed


def test_a_baseline_whose_edition_and_hash_nobody_knows_gives_the_hashes(site: Path) -> None:
    table = json.loads((site / NAME).read_text("utf-8"))
    pages = {name: {**page, "hash": "0" * 16} for name, page in table["pages"].items()}
    (site / NAME).write_text(json.dumps({**table, "edition": "1999", "pages": pages}), "utf-8")
    with pytest.raises(SteelyardError, match=r"another scoring \(its pages have the scoring hash 0{16}, and this run "):
        rerun(site)


def test_a_damaged_baseline_is_refused(site: Path) -> None:
    table = json.loads((site / NAME).read_text("utf-8"))
    entries = [{"score": 1e9}, {"findings": 3}, {"hash": None, "sketch": 4, "score": "x"}]
    damaged = [
        json.dumps({**table, "pages": {**table["pages"], "weak.md": table["pages"]["weak.md"] | entry}})
        for entry in entries
    ]
    for text in ("", "{}", "[1]", '{"schema": "steelyard-baseline/9"}', "\ud800", *damaged):
        (site / NAME).write_text(text, "utf-8", errors="surrogatepass")
        with pytest.raises(SteelyardError, match="not a baseline"):
            rerun(site)


def test_the_command_writes_one_and_then_passes(tmp_path: Path) -> None:
    write(tmp_path, {"steelyard.toml": "min_score = 80", "weak.md": WEAK})
    assert run_here("check", "--no-cache", cwd=tmp_path).returncode == 1
    written = run_here("check", "--write-baseline", "--no-cache", cwd=tmp_path)
    assert written.returncode == 0
    assert "commit this file" in written.stderr
    assert run_here("check", "--no-cache", cwd=tmp_path, STEELYARD_AS_OF="2031-01-01").returncode == 0
    assert run_here("check", "--no-cache", "--no-baseline", cwd=tmp_path).returncode == 1
    elsewhere = run_here("check", "--no-cache", "--baseline", "other.json", cwd=tmp_path)
    assert elsewhere.returncode == 1


def test_people_are_shown_only_what_is_new(tmp_path: Path) -> None:
    write(tmp_path, {"weak.md": WEAK, "steelyard.toml": "uncertain = true"})
    run_here("check", "--write-baseline", "--no-cache", cwd=tmp_path)
    write(tmp_path, {"weak.md": f"{WEAK}\n{OPENER.replace('They', 'These')}\n"})
    for form in ("human", "github", "markdown"):
        shown = run_here("check", "--no-cache", "--format", form, cwd=tmp_path).stdout
        assert "These are moored" in shown, form
        assert "They are moored" not in shown, form
    data = json.loads(run_here("check", "--no-cache", "--format", "json", cwd=tmp_path).stdout)
    assert len(data["pages"][0]["findings"]) > 3
