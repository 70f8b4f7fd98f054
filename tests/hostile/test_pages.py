"""Every hostile page gets a score with its guard or an error with its reason: no traceback, no NaN, no hang."""

from __future__ import annotations

import json
import math
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import pytest

from steelyard.components import NAMES
from steelyard.errors import PageUnreadable
from steelyard.scoring.page import PageScore
from steelyard.text.decoding import decode
from tests.contract.shared import assert_inside, run_process, score_text
from tests.hostile.pages import EVERY_RUN, FILES, FULL, GROWING, SECONDS_PER_MEGABYTE, SENTENCE, SMALL, TINY, within

NOT_TEXT = (
    "binary", "every byte", "a PNG's head", "NULs only", "UTF-16 cut in half", "UTF-16 with half a pair",
    "UTF-16 without its mark",
)  # fmt: skip
NEXT_TO_NOTHING = (
    "empty", "white space", "one letter", "one word", "BOM only", "UTF-16 mark only", "one byte that is no text",
)  # fmt: skip
each_growing = pytest.mark.parametrize("name", GROWING)


def run(*arguments: str, **changes: str) -> subprocess.CompletedProcess[bytes]:
    """`steelyard score … --format json` within a minute; a later --format overrules the first."""
    return run_process("score", "--format", "json", *arguments, seconds=SECONDS_PER_MEGABYTE, changes=changes)


def no_constant(name: str) -> NoReturn:
    raise AssertionError(f"{name} in the JSON")


Entry = dict[str, Any]


def entries(done: subprocess.CompletedProcess[bytes]) -> dict[str, Entry]:
    """The page or the error of every source, after what holds for all of them."""
    result = json.loads(done.stdout, parse_constant=no_constant)
    assert done.returncode == (2 if result["errors"] else 0)
    for page in result["pages"]:
        assert 0 <= page["score"] <= 100
        assert tuple(page["components"]) == NAMES
        if page["words"] < 5:
            assert (page["guard"], page["score"]) == ("near-empty", 5.0)
    for error in result["errors"]:
        assert error["error"]
    return {Path(entry["source"]).stem: entry for entry in (*result["pages"], *result["errors"])}


def batch(folder: Path, contents: Mapping[str, bytes], *arguments: str) -> dict[str, Entry]:
    """One command over a file of each content, by name."""
    names = {f"{number:03}": name for number, name in enumerate(contents)}
    for number, name in names.items():
        (folder / f"{number}.md").write_bytes(contents[name])
    return {names[number]: entry for number, entry in entries(run(str(folder), *arguments)).items()}


def check(page: PageScore, text: str, name: str) -> None:
    for figure in (page.score, page.content, page.freshness):
        assert math.isfinite(figure), name
        assert 0.0 <= figure <= 100.0, name
    assert tuple(page.readings) == NAMES, name
    if page.words < 5:
        assert (page.guard, page.score) == ("near-empty", 5.0), name
    evidence = [e for r in page.readings.values() for e in r.evidence]
    for e in evidence[:: max(1, len(evidence) // 200)]:
        assert_inside(e, text)


def weigh_in_time(text: str, name: str) -> None:
    with within(SECONDS_PER_MEGABYTE * max(0.2, len(text) / FULL), name):
        try:
            page = score_text(text)
        except PageUnreadable:  # a language that is not supported, with its name
            page = score_text(text, language="en")
    check(page, text, name)


def test_fifty_kilobytes_are_weighed_in_time():
    for name, make in GROWING.items():
        weigh_in_time(make(SMALL), name)


@pytest.mark.full
@each_growing
def test_a_megabyte_is_weighed_in_time(name: str):
    weigh_in_time(GROWING[name](FULL), name)


@pytest.mark.parametrize("size", [TINY, pytest.param(SMALL, marks=pytest.mark.full)])
def test_the_command_answers_every_growing_page(size: int, tmp_path: Path):
    contents = {name: make(size).encode() for name, make in GROWING.items()}
    assert set(batch(tmp_path, contents, "--language", "en", "--jobs", "2")) == set(GROWING)


@pytest.mark.parametrize("name", [n if n in EVERY_RUN else pytest.param(n, marks=pytest.mark.full) for n in GROWING])
def test_the_command_weighs_a_megabyte_in_time(
    name: str, tmp_path: Path, record_property: Callable[[str, object], None]
):
    path = tmp_path / "page.md"
    path.write_bytes(GROWING[name](FULL).encode("utf-8"))
    started = time.monotonic()
    assert len(entries(run(str(path), "--language", "en"))) == 1
    record_property("seconds", round(time.monotonic() - started, 1))


def test_the_command_answers_every_kind_of_file(tmp_path: Path):
    files = batch(tmp_path, FILES)
    assert set(files) == set(FILES)
    for name in NOT_TEXT:
        assert "score" not in files[name], name
        assert "not text" in files[name]["error"]
    for name in NEXT_TO_NOTHING:
        assert (files[name]["guard"], files[name]["score"]) == ("near-empty", 5.0), name


def test_every_kind_of_file_that_is_text_is_weighed():
    for name, data in FILES.items():
        try:
            text = decode(data, name)
        except PageUnreadable:
            continue
        weigh_in_time(text, name)


def test_line_ends_do_not_change_what_a_page_says():
    paragraph = "\n".join(SENTENCE.split(", ") * 8).replace(" of the ", " of\nthe ")
    text = f"# The tide\n\n{paragraph}\n\n- one of the list\n- two of the list\n\n{paragraph}\n"
    unix, dos = score_text(text), score_text(text.replace("\n", "\r\n"))
    assert unix.words == dos.words
    lines = [[e.line for r in page.readings.values() for e in r.evidence] for page in (unix, dos)]
    assert lines[0] == lines[1]
    differing = {n for n in NAMES if unix.readings[n].value != dos.readings[n].value}
    assert differing <= {"mmr_score", "semantic_redundancy"}, "these two read the size of the file as given"


def test_half_a_surrogate_pair_in_a_record_is_answered_and_keeps_the_offsets(tmp_path: Path):
    path = tmp_path / "records.jsonl"
    keys = ("text", "title", "source")
    records = [{"text": SENTENCE * 5, key: f"the tide \ud800 {SENTENCE} \udfff"} for key in keys]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="ascii")
    for form in ("json", "human", "html"):
        done = run(str(path), "--with-text", "--jobs", "1", "--format", form)
        assert done.returncode == 0, form
        assert done.stdout.decode("utf-8")
    assert score_text("\ud800 " + SENTENCE).readings == score_text("\ufffd " + SENTENCE).readings


def test_an_output_that_cannot_hold_a_character_is_no_crash(tmp_path: Path):
    path = tmp_path / "page.md"
    path.write_text(f"# Marée « à œil » 😀\n\n{SENTENCE * 5}", encoding="utf-8")
    for form in ("human", "json"):
        assert run(str(path), "--format", form, PYTHONIOENCODING="ascii:strict").returncode == 0


def test_records_that_are_no_pages_are_errors_and_the_others_are_scored(tmp_path: Path):
    path = tmp_path / "records.jsonl"
    deep = "[" * 100_000
    long_number = '{"text": ' + "9" * 10_000 + "}"
    lines = ["", "{", "[]", "null", "7", '"text"', "{}", '{"text": null}', '{"text": 5}', '{"text": ["a"]}', deep,
             long_number, '{"text": "a\tb"}', "\x00", "NaN", json.dumps({"text": SENTENCE * 5,
             "title": 7})]  # fmt: skip
    path.write_bytes("\n".join(lines).encode() + b"\n\xff\xfe{}\n\xef\xbb\xbf{}\n")
    done = run(str(path), "--jobs", "1")
    result = json.loads(done.stdout, parse_constant=no_constant)
    assert done.returncode == 2
    assert [p["source"] for p in result["pages"]] == [f"{path}:16"]
    assert [e["source"] for e in result["errors"]] == [f"{path}:{n}" for n in (*range(2, 16), 17, 18)]


@pytest.mark.full
@each_growing
@pytest.mark.parametrize("arguments", [("score", "--format", "human"), ("score", "--format", "html"), ("explain",)])
def test_fifty_kilobytes_are_shown_to_people(name: str, arguments: tuple[str, ...], tmp_path: Path):
    path = tmp_path / "page.md"
    path.write_bytes(GROWING[name](SMALL).encode("utf-8"))
    done = run_process(*arguments, str(path), "--language", "en", seconds=SECONDS_PER_MEGABYTE)
    assert done.returncode == (2 if name == "NULs in words" else 0), done.stderr.decode()  # that one is no text
