"""Pages that are one: by redirect, canonical link, text, and nearly the same text."""

from __future__ import annotations

import random

from steelyard.site.duplicates import Candidate, are_near, find_groups, fingerprint

WORDS = [f"word{number}" for number in range(2_000)]


def write(seed: int, length: int = 400) -> str:
    rng = random.Random(seed)
    return " ".join(rng.choices(WORDS, k=length))


def page(url: str, text: str = "", *, final: str = "", canonical: str | None = None, depth: int = 1) -> Candidate:
    text = text or write(hash(url) % 1000)
    return Candidate(url, final or url, canonical, text, fingerprint(text), depth)


def test_pages_that_differ_are_no_group() -> None:
    assert find_groups([page(f"/{n}", write(n)) for n in range(60)]) == []
    assert find_groups([page("/a", write(1), canonical="/gone")]) == []  # which was not scored


def test_redirects_and_canonical_links_decide_which_page_counts() -> None:
    (group,) = find_groups([page("/old", write(1), final="/new"), page("/new", write(1))])
    assert (group.kept, group.others) == ("/new", (("/old", "leads to the same page as /new"),))
    (group,) = find_groups([page("/a?x=1", write(1), canonical="/a"), page("/a", write(2), depth=5)])
    assert (group.kept, group.others) == ("/a", (("/a?x=1", "names /a as its canonical address"),))
    (group,) = find_groups([page("/a", write(1), canonical="/b"), page("/b", write(2), canonical="/a")])
    assert len(group.others) == 1  # of links in a circle


def test_the_same_text_and_nearly_the_same() -> None:
    text = write(3)
    nearly = text.replace(text.split()[200], "another")
    assert are_near(fingerprint(text), fingerprint(nearly))
    pages = [
        page("/one", text),
        page("/two/longer", text),
        page("/three/longer/still", nearly),
        page("/other", write(4)),
    ]
    (group,) = find_groups(pages)
    assert group.kept == "/one"
    assert dict(group.others) == {
        "/three/longer/still": "has nearly the same text as /one",
        "/two/longer": "has the same text as /one",
    }


def test_short_texts_are_compared_only_as_a_whole() -> None:
    assert fingerprint("a few words") is None
    assert find_groups([page("/1", "a few words"), page("/2", "a few more words")]) == []
    assert len(find_groups([page("/1", "a few words"), page("/2", "a few words")])) == 1


def test_the_order_of_pages_does_not_matter() -> None:
    pages = [page("/one", write(3)), page("/two", write(3)), page("/three", write(3), canonical="/two")]
    expected = find_groups(pages)
    rng = random.Random(1)
    for _ in range(5):
        rng.shuffle(pages)
        assert find_groups(pages) == expected
