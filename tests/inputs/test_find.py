"""From what the user typed to pages: a file, a folder, a glob, standard input, a file of records."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest

from steelyard.inputs.find import find_pages, is_excluded
from steelyard.inputs.page_ref import PageRef


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("index.md", "about.txt", "notes.py", "guides/tide.md", "guides/drafts/level.md", "guides/[x].md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sources(*targets: str, exclude: tuple[str, ...] = ()) -> list[str]:
    refs = list(find_pages(targets, exclude=exclude))
    assert [r.error for r in refs if r.error] == []
    return [r.source.replace(os.sep, "/") for r in refs]


def test_a_file_is_one_page_whatever_its_suffix(site: Path):
    assert list(find_pages(["index.md"])) == [PageRef("index.md", path="index.md")]
    assert sources("notes.py") == ["notes.py"]


def test_a_folder_is_its_pages_sorted_by_name(site: Path):
    assert sources(".") == [
        "./about.txt",
        "./guides/[x].md",
        "./guides/drafts/level.md",
        "./guides/tide.md",
        "./index.md",
    ]
    assert sources("guides/") == ["guides/[x].md", "guides/drafts/level.md", "guides/tide.md"]


def test_a_glob_is_its_files_sorted(site: Path):
    assert sources("*.*") == ["about.txt", "index.md", "notes.py"]
    assert sources("**/*.md") == ["guides/[x].md", "guides/drafts/level.md", "guides/tide.md", "index.md"]
    assert sources("guides/t?de.md") == ["guides/tide.md"]


def test_a_name_that_looks_like_a_glob_and_exists_is_a_file(site: Path):
    assert sources("guides/[x].md") == ["guides/[x].md"]


def test_targets_come_in_the_order_given_and_as_often(site: Path):
    assert sources("index.md", "guides/tide.md", "index.md") == ["index.md", "guides/tide.md", "index.md"]


def test_what_does_not_exist_is_a_page_with_its_error(site: Path):
    for name in ("nothing.md", "", "no\0thing.md", "nothing/", "index.md/x"):
        (ref,) = find_pages([name])
        assert ref.source == name
        assert "no such file" in (ref.error or ""), name


def test_what_is_excluded_is_left_out(site: Path):
    about, brackets, level, tide, index = sources(".")
    for pattern, left in {
        "drafts": [about, brackets, tide, index],
        "*.txt": [brackets, level, tide, index],
        "guides/*": [about, index],
        "index.md": [about, brackets, level, tide],
        "nothing": [about, brackets, level, tide, index],
    }.items():
        assert sources(".", exclude=(pattern,)) == left, pattern
    assert sources("**/*.md", exclude=("drafts", "index.*")) == ["guides/[x].md", "guides/tide.md"]
    assert sources("index.md", "guides/tide.md", exclude=("index.md",)) == ["guides/tide.md"]
    # The folders above the target do not count.
    assert len(sources(str(site), exclude=(site.name, site.parent.name))) == 5
    assert not is_excluded("a/b/c.md", ["B"])
    assert is_excluded("a/b/c.md", ["*.txt", "?"])
    assert not is_excluded("abc/d.md", ["b"])


# Standard input


def test_a_dash_is_standard_input():
    assert list(find_pages(["-"], stdin=io.BytesIO("Le marégraphe".encode()))) == [PageRef("-", text="Le marégraphe")]
    assert list(find_pages(["-"], stdin=io.BytesIO(b""))) == [PageRef("-", text="")]


def test_standard_input_that_is_too_large_or_no_text_is_an_error():
    for data, message in (
        (b"x" * 11, "over the limit of 10"),
        (b"\0" * 10, "not text"),
    ):
        (ref,) = find_pages(["-"], stdin=io.BytesIO(data), max_bytes=10)
        assert message in (ref.error or "")
    (exact,) = find_pages(["-"], stdin=io.BytesIO(b"x" * 10), max_bytes=10)
    assert exact.text == "x" * 10


# Records


def records(tmp_path: Path, *lines: object, name: str = "pages.jsonl") -> list[PageRef]:
    path = tmp_path / name
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return [
        PageRef(r.source.removeprefix(f"{tmp_path}{os.sep}"), r.path, r.text, r.title, r.error)
        for r in find_pages([str(path)])
    ]


def test_a_record_is_a_page_named_by_its_line(tmp_path: Path):
    for name in ("pages.jsonl", "pages.ndjson", "PAGES.JSONL"):
        refs = records(tmp_path, {"text": "one"}, "", "   ", {"text": "two", "title": "Two"}, name=name)
        assert refs == [PageRef(f"{name}:1", text="one"), PageRef(f"{name}:4", text="two", title="Two")]


def test_a_record_shows_its_name_and_a_title_that_says_something(tmp_path: Path):
    refs = records(tmp_path, *({"text": "one", key: "https://e.example/"} for key in ("source", "url", "id")))
    assert [ref.source for ref in refs] == [f"pages.jsonl:{n} (https://e.example/)" for n in (1, 2, 3)]
    refs = records(tmp_path, *({"text": "one", "title": title} for title in ("", "  ", None, 7, ["x"])))
    assert [ref.title for ref in refs] == [None] * 5


def test_a_line_that_is_no_page_is_an_error_and_the_next_is_read(tmp_path: Path):
    lines = ["{", "[]", "null", '"text"', "{}", '{"text": null}', '{"text": 5}', '{"Text": "x"}', "[" * 5_000, "\ufffd"]
    for line in lines:
        wrong, right = records(tmp_path, line, {"text": "one"})
        assert (wrong.source, wrong.text, right.text) == ("pages.jsonl:1", None, "one"), line
        assert "pages.jsonl:1" in (wrong.error or ""), line
    (ref,) = records(tmp_path, {"body": "x", "name": "y"})
    assert "body, name" in (ref.error or "")


def test_a_line_over_the_limit_is_an_error_and_a_long_file_is_not(tmp_path: Path):
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(json.dumps({"text": "x" * n}) for n in (10, 500, 20, 30, 40)))
    found = list(find_pages([str(path)], max_bytes=100))
    assert [r.error is None for r in found] == [True, False, True, True, True]


def test_records_may_have_a_mark_line_ends_of_windows_and_no_last_line_end(tmp_path: Path):
    path = tmp_path / "pages.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"text": "one"}\r\n{"text": "two"}')
    assert [r.text for r in find_pages([str(path)])] == ["one", "two"]


def test_records_are_read_one_by_one(tmp_path: Path):
    path = tmp_path / "pages.jsonl"
    path.write_text('{"text": "one"}\n{"text": "two"}\n')
    found = find_pages([str(path), str(tmp_path / "nothing.md")])
    assert next(found).text == "one"
    path.unlink()
    assert next(found).text == "two"


def test_files_of_records_in_a_folder_are_no_pages(site: Path):
    (site / "pages.jsonl").write_text('{"text": "one"}')
    assert not [s for s in sources(".") if "jsonl" in s]
