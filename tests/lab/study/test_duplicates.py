"""Near-duplicates across pages: MinHash finds the pairs, and each is compared in full."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from steelyard.lab.study.studies.duplicates import MIN_SHINGLES, Pair, find_near_duplicates, group_pages, hash_shingles
from tests.conftest import run_here
from tests.contract.shared import document
from tests.detectors.one_detector import ENGLISH, FRENCH, demo

pytest.importorskip("datasketch", reason="the laboratory's MinHash library is not installed")


PAGE = " ".join(
    f"sentence {word} about the harbour and its tides." for word in "one two three four five six seven".split()
)


def sets(*texts: str) -> list[frozenset[int]]:
    return [hash_shingles(document(text, "en")) for text in texts]


def exact(pages: list[frozenset[int]], threshold: float) -> list[Pair]:
    """All pairs, one by one."""
    found = []
    for i, a in enumerate(pages):
        for j in range(i + 1, len(pages)):
            both = len(a & pages[j])
            if a and pages[j] and both / len(a | pages[j]) >= threshold:
                found.append(Pair(i, j, both / len(a | pages[j]), both / min(len(a), len(pages[j]))))
    return found


def test_a_page_and_its_copy_with_another_end_are_a_pair_and_a_stranger_is_not():
    pages = sets(ENGLISH, FRENCH, f"{ENGLISH} One more sentence stands here.")
    (pair,) = find_near_duplicates(pages)
    assert (pair.first, pair.second) == (0, 2)
    assert pair.contained == 1
    assert 0.9 < pair.similarity < 1


def test_copies_of_one_page_are_all_named_and_cost_no_more_than_their_number():
    pages = sets(*[ENGLISH] * 50)
    assert [(p.first, p.second) for p in find_near_duplicates(pages)] == [(0, n) for n in range(1, 50)]
    assert group_pages(find_near_duplicates(pages)) == [list(range(50))]


def test_the_demo_pages_are_no_duplicates_of_each_other():
    assert find_near_duplicates(sets(*(p.flattened for p in demo("en")))) == []


def test_it_finds_what_comparing_all_pairs_finds():
    rng = random.Random(3)
    words = " ".join(p.flattened for p in demo("en")).split()
    texts = []
    for _ in range(25):
        base = [rng.choice(words) for _ in range(200)]
        texts.append(" ".join(base))
        cut = rng.randrange(10, 190)
        texts.append(" ".join([*base[:cut], *(rng.choice(words) for _ in range(200 - cut))]))
    pages = sets(*texts)
    found, wanted = find_near_duplicates(pages, 0.6), exact(pages, 0.6)
    assert set(found) <= set(wanted)
    assert len(found) >= 0.95 * len(wanted) > 0


def test_short_and_empty_pages_are_never_a_pair():
    short = " ".join(ENGLISH.split()[:MIN_SHINGLES])
    assert find_near_duplicates(sets(short, short, "", "")) == []


def test_groups_join_through_the_middle_and_the_largest_is_first():
    pairs = [Pair(1, 2, 0.6, 1.0), Pair(5, 6, 0.6, 1.0), Pair(2, 9, 0.6, 1.0)]
    assert group_pages(pairs) == [[1, 2, 9], [5, 6]]
    assert group_pages([]) == []


def test_the_same_pages_in_another_order_are_the_same_pairs():
    pages = sets(ENGLISH, f"{ENGLISH} And more of it.", FRENCH)
    (pair,) = find_near_duplicates(pages)
    (other,) = find_near_duplicates(pages[::-1])
    assert (other.first, other.second) == (2 - pair.second, 2 - pair.first)
    assert (other.similarity, other.contained) == (pair.similarity, pair.contained)


# The command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.md").write_text(PAGE)
    (pages / "b.md").write_text(f"{PAGE} One more line.")
    (pages / "c.md").write_text("Nothing of the sort. " + " ".join(f"word{chr(97 + n)}" for n in range(26)))
    return pages


def test_copies_are_named_and_the_exit_code_says_so(folder: Path, tmp_path: Path):
    result = run_here("gaming", "duplicates", str(folder), "--out", str(tmp_path / "out"))
    assert result.returncode == 1, result.stdout
    assert "a.md" in result.stdout
    assert "b.md" in result.stdout
    found = json.loads((tmp_path / "out" / "duplicates.json").read_text())["result"]
    assert [Path(name).name for pair in found["pairs"] for name in (pair["first"], pair["second"])] == ["a.md", "b.md"]
    assert found["pages"] == 3


def test_pages_of_their_own_are_no_finding_and_one_cannot_be_compared(folder: Path, tmp_path: Path):
    (folder / "b.md").unlink()
    out = ("--out", str(tmp_path / "out"))
    result = run_here("gaming", "duplicates", str(folder), *out)
    assert result.returncode == 0, result.stdout
    for targets, words in (((folder / "a.md",), "two or more"), ((folder, folder / "none.md"), "none.md")):
        result = run_here("gaming", "duplicates", *targets, *out)
        assert result.returncode == 2
        assert words in result.stderr
