"""Faults found in earlier versions: each of these once hung, crashed, cost points or misled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import date
from functools import partial
from pathlib import Path

import pytest

import steelyard
from steelyard.components import NAMES
from steelyard.errors import CannotWrite, InvalidRecords
from steelyard.pipeline import score_text
from steelyard.scoring.page import PageScore
from steelyard.support.artifacts import ReplacedFile, make_output_folder, require_writable, write_text
from tests.conftest import ROOT, SENTENCE, run_here
from tests.hostile.pages import within

AS_OF = date(2026, 7, 1)


def test_quotes_that_never_close_in_a_tag_are_read_once() -> None:
    with within(10):
        score_text(f"{SENTENCE}<a {chr(34) * 100_000}{SENTENCE}", as_of=AS_OF)


def test_years_inside_statistics_are_dated_in_linear_time() -> None:
    with within(20):
        score_text("2000% the " * 20_000, as_of=AS_OF, language="en")


def test_an_address_that_is_none_is_no_crash() -> None:
    for address in ("http://[bad", "http://a℀b.org/", "https://", "http://x:99999999/"):
        score_text(f"{SENTENCE * 10}[x]({address})", as_of=AS_OF)


def test_words_that_show_nothing_and_hidden_ones_are_no_words() -> None:
    words = score_text(SENTENCE * 4, as_of=AS_OF).words
    for filler in ("\u2800 ", "\u034f ", "\x01 ", "\x7f ", "\u180b ", "&nbsp; "):
        assert score_text(SENTENCE * 4 + filler * 300, as_of=AS_OF).words == words, filler
    for style in ("opacity:0.0", "font-size:0.0px", "display:/**/none", "visibility:collapse"):
        hidden = f'<div style="{style}">{SENTENCE * 40}</div>'
        assert score_text(SENTENCE * 4 + hidden, as_of=AS_OF).words == words, style


def test_dates_are_read_with_their_time_and_by_what_follows_their_label() -> None:
    page = score_text(f"---\ndate: 2026-06-20T10:00:00Z\n---\n{SENTENCE * 5}", as_of=AS_OF)
    assert page.fresh.terms["date"] == 100.0
    for line, updates in (
        ("Updated by staff who may know of 1999.", 75.0),
        ("Updated in 2019.", 25.0),
        ("Last updated: May 2026", 100.0),
    ):
        page = score_text(f"{line}\n\n{SENTENCE * 5}", as_of=AS_OF)
        assert page.fresh.terms["updates"] == updates, line


def test_links_are_evidence_where_they_stand_and_sources_once() -> None:
    def read(links: str) -> tuple[str, PageScore]:
        text = SENTENCE * 5 + links
        return text, score_text(text, as_of=AS_OF)

    text, page = read('<a href="https://example.org/a">a word</a> and [r][r].\n\n[r]: https://example.net/\n')
    spans = [text[e.start : e.end] for e in page.readings["citation_f1"].evidence]
    assert len(spans) == 2
    assert all("example." in s for s in spans)
    _, page = read("[https://example.org/](https://example.org/)")
    assert page.readings["citation_f1"].parts["C"] == 1
    _, page = read(" ".join(f"[x](https://u{n}@example.org:{n + 1}/)" for n in range(20)))
    assert page.readings["entity_density"].parts["E"] == 1, "users and ports make no new site"


def test_a_full_stop_in_front_hides_no_opening() -> None:
    text = ". It is a tool that the keeper of the harbour uses every day when the tide is low and the boats are in."
    assert score_text(text, as_of=AS_OF).readings["self_containment"].parts["points"] == [20.0]


def test_a_sharp_belongs_to_the_title() -> None:
    assert score_text(f"# Learn C#\n\n{SENTENCE * 5}", as_of=AS_OF).title == "Learn C#"


def test_a_weighting_file_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    scores = []
    for chosen in ("shannon_entropy", "statistic_density"):
        path.write_text(json.dumps({n: float(n == chosen) for n in NAMES}))
        scores.append(steelyard.score(SENTENCE * 30, weights=str(path), as_of="2026-07-01").content)
    assert scores[0] != scores[1]


def test_a_score_of_four_hundred_digits_is_refused() -> None:
    with pytest.raises(InvalidRecords):
        steelyard.rank_domains([{"domain": "a.org", "score": 10**400}])


def test_a_link_given_as_output_is_refused_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    for write in (partial(write_text, link, "new"), partial(ReplacedFile, link), partial(require_writable, link)):
        with pytest.raises(CannotWrite, match=r"a link to .*real\.txt, and links are not followed"):
            write()
    (tmp_path / "folder").symlink_to(tmp_path)
    with pytest.raises(CannotWrite, match="links are not followed"):
        make_output_folder(tmp_path / "folder")
    assert real.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "link.txt", "real.txt"]


def test_domains_take_the_addresses_of_scored_records(tmp_path: Path) -> None:
    record = {"text": SENTENCE * 20, "url": "https://a.example/x", "title": "a\u2028b"}
    (tmp_path / "p.jsonl").write_text(json.dumps(record) + "\n")
    scored = run_here("score", "p.jsonl", "--format", "jsonl", cwd=tmp_path)
    (tmp_path / "scores.jsonl").write_text(scored.stdout)
    ranked = run_here("domains", "scores.jsonl", "--format", "json", cwd=tmp_path)
    assert json.loads(ranked.stdout)["domains"][0]["domain"] == "a.example"


@pytest.mark.parametrize("after", [0.9, 2.5])
def test_ctrl_c_to_the_group_prints_no_traceback_from_the_workers(tmp_path: Path, after: float) -> None:
    records = tmp_path / "many.jsonl"
    records.write_text((json.dumps({"text": SENTENCE * 100}) + "\n") * 5000)
    command = [sys.executable, "-m", "steelyard", "score", str(records), "--format", "csv", "--jobs", "2"]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    time.sleep(after)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "Traceback" not in err
