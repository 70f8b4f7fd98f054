"""Which page is which: by path, by content, by shared lines."""

from __future__ import annotations

from pathlib import Path

from steelyard.pages.matching import match_contents, match_pages, match_sketches
from steelyard.pages.sketches import sketch_text
from steelyard.pages.versions import Version, open_versions
from tests.hostile.pages import within


def text(name: str, lines: int = 20) -> str:
    return "".join(f"Line {n} of the page {name}.\n" for n in range(lines))


def versions(folder: Path, old: dict[str, str], new: dict[str, str]) -> tuple[Version, Version]:
    for side, pages in (("old", old), ("new", new)):
        for path, content in pages.items():
            file = folder / side / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
    first, second = open_versions(str(folder / "old"), str(folder / "new"), 100_000)
    assert isinstance(first, Version)
    assert isinstance(second, Version)
    return first, second


def test_every_page_is_matched_once(tmp_path: Path) -> None:
    old = {name: text(name) for name in ("same.md", "edited.md", "moved.md", "moved-edited.md", "gone.md")}
    new = {
        "same.md": old["same.md"],
        "edited.md": old["edited.md"] + "One more line.\n",
        "sub/moved.md": old["moved.md"],
        "sub/other.md": old["moved-edited.md"] + "One more line.\n",
        "new.md": text("new.md"),
    }
    found = match_pages(*versions(tmp_path, old, new))
    assert found.unchanged == ["same.md"]
    assert found.changed == ["edited.md"]
    assert found.renamed == {"sub/moved.md": "moved.md", "sub/other.md": "moved-edited.md"}
    assert found.added == ["new.md"]
    assert found.removed == ["gone.md"]


def test_pages_that_share_few_lines_are_not_the_same(tmp_path: Path) -> None:
    old = {"a.md": text("a", 20)}
    new = {"b.md": text("a", 5) + text("b", 15)}
    found = match_pages(*versions(tmp_path, old, new))
    assert (found.renamed, found.added, found.removed) == ({}, ["b.md"], ["a.md"])


def test_of_equal_pages_the_one_with_the_same_name_is_taken() -> None:
    gone = {"x/one.md": "c", "x/two.md": "c", "x/three.md": "c"}
    come = {"y/two.md": "c", "y/four.md": "c"}
    assert match_contents(gone, come) == {"y/two.md": "x/two.md", "y/four.md": "x/one.md"}


def test_the_most_similar_pages_are_matched_first() -> None:
    base = text("base", 20)
    gone = {"old.md": sketch_text(base)}
    come = {"a-less.md": sketch_text(base + text("x", 6)), "more.md": sketch_text(base + "one line\n")}
    assert match_sketches(gone, come) == {"more.md": "old.md"}


def test_thousands_of_moved_pages_with_a_common_frame_take_seconds() -> None:
    frame = text("frame", 8)
    gone = {f"{n}.md": sketch_text(frame + text(f"page {n}", 16)) for n in range(4000)}
    come = {f"moved/{n}.md": sketch_text(frame + text(f"page {n}", 16) + "new\n") for n in range(4000)}
    with within(60):
        found = match_sketches(gone, come)
    assert found == {f"moved/{n}.md": f"{n}.md" for n in range(4000)}


def test_pages_without_lines_are_not_similar() -> None:
    assert match_sketches({"a.md": ()}, {"b.md": ()}) == {}


def test_a_page_that_cannot_be_read_is_neither_added_nor_removed(tmp_path: Path) -> None:
    old, new = versions(tmp_path, {"a.md": text("a"), "b.md": text("b")}, {"a.md": "x" * 200_000, "b.md": text("b")})
    assert list(new.errors) == ["a.md"]
    found = match_pages(old, new)
    assert (found.added, found.removed, found.changed, found.unchanged) == ([], [], [], ["b.md"])
