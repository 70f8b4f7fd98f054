"""A corpus: what is kept, how it is cut and halved, and that a changed file is refused."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from steelyard.errors import InvalidFile, PageUnreadable
from steelyard.inputs.find import is_corpus
from steelyard.lab import corpus
from steelyard.lab.corpus import FLATTENED, STRUCTURED, TEST, TRAIN, CorpusCandidate, loading
from tests.conftest import SHARED_DATA

DATA = SHARED_DATA
SAID = (
    "The harbour master keeps a careful record of every ship that comes in before the ice.",
    "Most of the boats are small, and they carry salt, timber and letters to the islands.",
    "When the wind turns, the whole town walks down to the quay and waits for the lights.",
    "It was not always so: a century ago there were more churches here than chimneys.",
    "You can still read the names of the old captains on the wall behind the market.",
)
DUTCH = "De havenmeester houdt zorgvuldig een boek bij van elk schip dat voor het ijs nog binnenkomt en aanlegt. "
GERMAN = "Der Hafenmeister führt sorgfältig Buch über jedes Schiff, das vor dem Eis noch einläuft und festmacht. "


def prose(number: int, words: int = 250) -> str:
    """English of so many words, different for every number, in paragraphs of a line each."""
    rng = random.Random(number)
    said = " ".join(
        f"{rng.choice(SAID)} Ship {number} took {rng.randrange(10_000)} barrels." for _ in range(words // 6)
    )
    cut = said.split()[:words]
    return "\n\n".join(" ".join(cut[at : at + 50]) for at in range(0, words, 50))


def pages(numbers: Sequence[int]) -> list[CorpusCandidate]:
    return [CorpusCandidate(f"page-{n}", prose(n)) for n in numbers]


def jsonl(path: Path, records: Sequence[Any]) -> Path:
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records), "utf-8")
    return path


# What is kept


def test_short_foreign_and_repeated_pages_are_left_out_and_counted() -> None:
    given = [
        CorpusCandidate("kept", prose(1)),
        CorpusCandidate("short", prose(2, 199)),
        CorpusCandidate("just long enough", prose(3, 200)),
        CorpusCandidate("dutch", DUTCH * 20),
        CorpusCandidate("german", GERMAN * 20),
        CorpusCandidate("again", prose(1)),
        CorpusCandidate("again with other spaces", prose(1).replace(" ", "\n ")),
    ]
    made = corpus.build("mine", given)
    assert [(p.id, p.language) for p in made.pages] == [("kept", "en"), ("just long enough", "en"), ("german", "de")]
    assert made.dropped == {
        "fewer than 200 words": 1,
        "in another language": 1,
        "the text of another page": 2,
    }


def test_pages_that_differ_only_after_the_cut_are_the_same_page() -> None:
    long = prose(1, 400)
    made = corpus.build("mine", [CorpusCandidate("a", long), CorpusCandidate("b", f"{long} and something more")])
    assert [p.id for p in made.pages] == ["a"]


def test_two_pages_of_one_name_keep_both_names_apart() -> None:
    made = corpus.build(
        "mine", [CorpusCandidate("x", prose(1)), CorpusCandidate("x", prose(2)), CorpusCandidate("x", prose(3))]
    )
    assert [p.id for p in made.pages] == ["x", "x#2", "x#3"]


def test_nothing_to_keep_says_why() -> None:
    with pytest.raises(InvalidFile, match=r"^mine: no page could be used \(2 fewer than 200 words\); pages need 200"):
        corpus.build("mine", [CorpusCandidate("a", "short"), CorpusCandidate("b", "")])
    with pytest.raises(InvalidFile, match="there were none"):
        corpus.build("mine", [])


def test_a_cut_shorter_than_the_least_is_a_mistake_and_not_a_reason_to_drop() -> None:
    with pytest.raises(InvalidFile, match="cut at 50 words no page has 200; raise --most or lower --least"):
        corpus.build("mine", pages([1]), most_words=50)


# How it is cut


def test_a_page_is_cut_at_400_words_with_its_line_breaks_kept() -> None:
    page = corpus.build("mine", [CorpusCandidate("long", prose(1, 700), title="Ships")]).pages[0]
    assert len(page.text.split()) == len(page.flattened.split()) == 400
    assert page.text.count("\n\n") == 7
    assert page.text == prose(1, 700)[: len(page.text)]
    assert "\n" not in page.flattened
    assert page.flattened == " ".join(prose(1, 700).split()[:400])


def test_the_flattened_view_has_no_title_and_the_structured_one_has() -> None:
    page = corpus.build("mine", [CorpusCandidate("a", prose(1), title="Ships")]).pages[0]
    assert page.view(FLATTENED) == page.flattened
    assert page.view_title(FLATTENED) is None
    assert page.view(STRUCTURED) == page.text
    assert page.view_title(STRUCTURED) == "Ships"


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("a b c", 2, "a b"),
        ("a\n\nb  c", 2, "a\n\nb"),
        ("  a b", 1, "  a"),
        ("a", 5, "a"),
        ("", 3, ""),
        ("a b ", 2, "a b"),
    ],
)
def test_a_cut_ends_after_a_word(text: str, words: int, expected: str) -> None:
    assert corpus.cut(text, words) == expected


# How it is halved


def test_half_of_each_language_is_train() -> None:
    mixed = [*pages(range(9)), *(CorpusCandidate(f"fr-{n}", prose(n, 260), language="fr") for n in range(20, 24))]
    made = corpus.build("mine", mixed)
    for language, train, test in (("en", 5, 4), ("fr", 2, 2)):
        splits = [p.split for p in made.pages_in(language)]
        assert (splits.count(TRAIN), splits.count(TEST)) == (train, test)


def test_no_order_and_no_name_moves_a_page() -> None:
    numbers = list(range(20))
    first = {p.flattened: p.split for p in corpus.build("mine", pages(numbers)).pages}
    random.Random(1).shuffle(numbers)
    renamed = [CorpusCandidate(f"other-{i}", c.text) for i, c in enumerate(pages(numbers))]
    assert {p.flattened: p.split for p in corpus.build("yours", renamed).pages} == first
    assert {p.flattened: p.split for p in corpus.build("mine", pages(numbers), seed=1).pages} != first


def test_the_split_goes_by_the_hash_of_seed_and_text() -> None:
    made = corpus.build("mine", pages(range(8)), seed=7)
    ordered = sorted(made.pages, key=lambda p: hashlib.sha256(f"7|{p.flattened}".encode()).digest())
    assert [p.split for p in ordered] == [TRAIN] * 4 + [TEST] * 4


# The file


def test_a_corpus_file_gives_the_corpus_back(tmp_path: Path) -> None:
    made = corpus.build(
        "mine", [*pages(range(4)), CorpusCandidate("x", "short")], made_from={"a.jsonl": "ab" * 32}, seed=3
    )
    corpus.write(made, tmp_path / "c.jsonl")
    assert is_corpus(tmp_path / "c.jsonl")
    read = corpus.read(tmp_path / "c.jsonl")
    assert read == made
    assert read.digest == made.digest
    assert loading.load_corpus(str(tmp_path / "c.jsonl")) == made


def test_the_header_says_what_the_pages_are(tmp_path: Path) -> None:
    made = corpus.build("mine", [*pages(range(4)), CorpusCandidate("x", "short")])
    corpus.write(made, tmp_path / "c.jsonl")
    head, *rest = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text("utf-8").splitlines()]
    assert head == {
        "schema": "steelyard.corpus/1",
        "name": "mine",
        "seed": 2026,
        "made_from": {},
        "dropped": {"fewer than 200 words": 1},
        "pages": 4,
        "sha256": made.digest,
    }
    assert [r["id"] for r in rest] == [f"page-{n}" for n in range(4)]
    assert {frozenset(r) for r in rest} == {frozenset({"id", "language", "split", "title", "text", "flattened"})}


def test_the_same_pages_make_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        corpus.write(corpus.build("mine", pages(range(4))), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("field", ["text", "title", "split"])
def test_a_page_that_was_changed_is_refused(tmp_path: Path, field: str) -> None:
    made = corpus.build("mine", [CorpusCandidate(f"p{n}", prose(n), title="Ships") for n in range(4)])
    path = tmp_path / "c.jsonl"
    corpus.write(made, path)
    lines = path.read_text("utf-8").splitlines()
    record = json.loads(lines[2])
    record[field] = TEST if record[field] == TRAIN else f"{record[field]}x"
    path.write_text("\n".join([*lines[:2], json.dumps(record), *lines[3:]]) + "\n", "utf-8")
    with pytest.raises(InvalidFile, match="not those the header was written for; build the corpus again"):
        corpus.read(path)


def test_a_corpus_with_a_page_missing_or_out_of_order_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    corpus.write(corpus.build("mine", pages(range(4))), path)
    lines = path.read_text("utf-8").splitlines()
    for kept in (lines[:-1], [lines[0], *lines[:0:-1]]):
        path.write_text("\n".join(kept) + "\n", "utf-8")
        with pytest.raises(InvalidFile, match="not those the header was written for"):
            corpus.read(path)


def test_a_broken_line_of_a_corpus_is_named(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    corpus.write(corpus.build("mine", pages(range(2))), path)
    whole = path.read_text("utf-8")
    path.write_text(whole + '{"id": \n', "utf-8")
    with pytest.raises(InvalidFile, match=r"c\.jsonl:4: not JSON \(Expecting value at column 7\)"):
        corpus.read(path)
    path.write_text(whole + "3\n", "utf-8")
    with pytest.raises(InvalidFile, match=r"c\.jsonl:4: a JSON int, not an object; build the corpus again"):
        corpus.read(path)
    path.write_text(whole.replace('"split"', '"half"'), "utf-8")
    with pytest.raises(InvalidFile, match="a record lacks 'split'"):
        corpus.read(path)


def test_line_separators_inside_a_page_end_no_line_of_the_file(tmp_path: Path) -> None:
    text = prose(1).replace("\n\n", "\u2028").replace(". ", ".\x85", 1)
    made = corpus.build("mine", [CorpusCandidate("a", text, title="Ships\u2029and boats")])
    corpus.write(made, tmp_path / "c.jsonl")
    assert corpus.read(tmp_path / "c.jsonl") == made


# Pages of a folder


def test_front_matter_and_markup_are_no_words(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "page.md").write_text(f"---\ntitle: Ships\n---\n\n# Harbours\n\n**{prose(1, 300)}**\n", "utf-8")
    page = loading.load_corpus(str(tmp_path)).pages[0]
    assert (page.id, page.title, page.language) == ("in/page.md", "Ships", "en")
    assert page.flattened.split()[:2] == ["Harbours", prose(1).split()[0]]
    assert page.text.startswith("# Harbours\n\n**")
    assert "title:" not in page.text


def test_a_folder_is_the_same_corpus_wherever_it_stands(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "site").mkdir(parents=True)
        for n in range(3):
            (tmp_path / name / "site" / f"{n}.md").write_text(prose(n), "utf-8")
    one, two = (loading.load_corpus(str(tmp_path / name / "site")) for name in ("one", "two"))
    assert one == two
    assert one.name == "site"


def test_an_unreadable_page_is_named_once(tmp_path: Path) -> None:
    bad = tmp_path / "bad.md"
    bad.write_bytes(bytes(range(128, 256)) * 4)
    with pytest.raises(PageUnreadable) as refused:
        loading.load_corpus(str(tmp_path))
    assert str(refused.value).startswith(f"{bad}: not text")
    assert str(refused.value).count("bad.md") == 1


def test_an_empty_folder_and_a_missing_one_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(PageUnreadable, match="no pages in this directory"):
        loading.load_corpus(str(tmp_path))
    with pytest.raises(PageUnreadable, match="no such file or directory"):
        loading.load_corpus(str(tmp_path / "absent"))


def test_the_demo_has_enough_pages_of_both_languages_in_both_halves() -> None:
    demo = loading.load_corpus("demo")
    for language, least in (("en", 20), ("fr", 5)):
        splits = [p.split for p in demo.pages_in(language)]
        assert min(splits.count(TRAIN), splits.count(TEST)) >= least
    assert demo.dropped == {}


# Pages of a JSONL file


def test_records_bring_their_id_title_and_language(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "pages.jsonl",
        [
            {"id": "a", "text": prose(1), "title": "Ships", "lang": "en"},
            {"url": "https://example.org/b", "text": prose(2), "title": "  "},
            {"text": prose(3), "title": 5, "language": "en-GB"},
            {"text": prose(4), "lang": "FR_ca"},
            {"text": prose(5), "lang": "de"},
            {"text": prose(6), "lang": "nl"},
        ],
    )
    made = loading.load_corpus(str(path))
    assert [(p.id, p.title, p.language) for p in made.pages] == [
        ("a", "Ships", "en"),
        ("https://example.org/b", None, "en"),
        ("3", None, "en"),
        ("4", None, "fr"),
        ("5", None, "de"),
    ]
    assert made.dropped == {"in another language": 1}
    assert made.made_from == {"pages.jsonl": hashlib.sha256(path.read_bytes()).hexdigest()}


def test_blank_lines_are_skipped_and_lines_still_counted(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text(f"\n{json.dumps({'text': prose(1)})}\n\n{{broken\n", "utf-8")
    with pytest.raises(InvalidFile, match=r"pages\.jsonl:4: not JSON \(Expecting property name .* at column 2\)"):
        loading.load_corpus(str(path))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"txt": "x"}', r"the record has no `text`; give the page under that key"),
        ('{"text": 5}', r"the record has no `text`"),
        ("[1, 2]", r"a JSON list, not an object"),
        ('"text"', r"a JSON str, not an object"),
        ("\x00", r"not JSON"),
    ],
)
def test_a_wrong_record_names_its_line(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text(f"{json.dumps({'text': prose(1)})}\n{line}\n", "utf-8")
    with pytest.raises(InvalidFile, match=rf"pages\.jsonl:2: {reason}"):
        loading.load_corpus(str(path))


def test_bytes_that_are_no_text_name_their_line(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_bytes(json.dumps({"text": prose(1)}).encode() + b'\n{"text": "\xff\xfe"}\n')
    with pytest.raises(InvalidFile, match=r"pages\.jsonl:2: not JSON \(not UTF-8 at byte 10\)"):
        loading.load_corpus(str(path))


def test_a_corpus_is_not_built_from_a_corpus(tmp_path: Path) -> None:
    corpus.write(corpus.build("mine", pages(range(2))), tmp_path / "c.jsonl")
    with pytest.raises(InvalidFile, match="is a corpus already"):
        loading.build_from_pages(str(tmp_path / "c.jsonl"))


# GEO-Bench


def row(*texts: str | None, **more: Any) -> dict[str, Any]:
    sources = [{"raw_text": f"<p>{t}</p>", "cleaned_text": t, "url": "https://example.org"} for t in texts]
    return {"query": "q", "tags": [], "sources": sources, "sugg_idx": 0, **more}


def test_per_query_the_first_source_of_200_words_is_taken(tmp_path: Path) -> None:
    rows = [
        row(prose(1, 199), prose(2, 200), prose(3, 390)),
        row(prose(4, 500)),
        row("short", "shorter"),
        row(),
        row(prose(4, 500)),
    ]
    path = jsonl(tmp_path / "test.jsonl", rows)
    made = loading.build_from_geo_bench(str(path))
    assert [(p.id, p.flattened) for p in made.pages] == [
        ("row-1", " ".join(prose(2, 200).split())),
        ("row-2", " ".join(prose(4, 500).split()[:400])),
    ]
    assert made.pages[1].text.count("\n\n") == 7
    assert made.dropped == {"fewer than 200 words": 2, "the text of another page": 1}
    assert made.made_from == {"test.jsonl": hashlib.sha256(path.read_bytes()).hexdigest()}


def test_without_cleaned_text_the_raw_text_is_taken(tmp_path: Path) -> None:
    rows = [row(None, more=1)]
    rows[0]["sources"][0] = {"raw_text": prose(1), "cleaned_text": " "}
    made = loading.build_from_geo_bench(str(jsonl(tmp_path / "test.jsonl", rows)))
    assert made.pages[0].flattened == " ".join(prose(1).split())


def test_rows_as_one_json_list_make_the_same_pages(tmp_path: Path) -> None:
    rows = [row(prose(n)) for n in range(3)]
    (tmp_path / "rows.json").write_text(json.dumps(rows, indent=1), "utf-8")
    listed = loading.build_from_geo_bench(str(tmp_path / "rows.json"))
    assert listed.pages == loading.build_from_geo_bench(str(jsonl(tmp_path / "test.jsonl", rows))).pages


def test_what_is_not_geo_bench_is_refused_by_line(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "test.jsonl", [row(prose(1)), {"query": "q", "text": prose(2)}])
    with pytest.raises(InvalidFile, match=r"test\.jsonl:2: the row has no `sources`; is this GEO-Bench's"):
        loading.build_from_geo_bench(str(path))
    (tmp_path / "rows.json").write_text('[{"sources": []}, 3]', "utf-8")
    with pytest.raises(InvalidFile, match=r"rows\.json:2: a JSON int, not an object"):
        loading.build_from_geo_bench(str(tmp_path / "rows.json"))
    (tmp_path / "rows.json").write_text("{", "utf-8")
    with pytest.raises(InvalidFile, match=r"rows\.json: not JSON"):
        loading.build_from_geo_bench(str(tmp_path / "rows.json"))
    with pytest.raises(PageUnreadable, match="a directory"):
        loading.build_from_geo_bench(str(tmp_path))
    with pytest.raises(PageUnreadable, match="no such file"):
        loading.build_from_geo_bench(str(tmp_path / "absent.jsonl"))


def test_odd_sources_are_passed_over_and_never_crash(tmp_path: Path) -> None:
    odd: list[Any] = [None, 5, "text", [], {}, {"cleaned_text": 7, "raw_text": None}]
    rows = [{"sources": [*odd, {"cleaned_text": prose(1)}]}, {"sources": odd}]
    made = loading.build_from_geo_bench(str(jsonl(tmp_path / "test.jsonl", rows)))
    assert [p.id for p in made.pages] == ["row-1"]


def test_authentic_rows_of_geo_bench_are_read() -> None:
    path = DATA / "geo_bench_rows.json"
    if not path.is_file():
        pytest.skip(f"{path} is not here (STEELYARD_DATA names the folder)")
    made = loading.build_from_geo_bench(str(path))
    rows = json.loads(path.read_text("utf-8"))
    assert len(made.pages) == len(rows)
    for page, given in zip(made.pages, rows, strict=True):
        first = next(s["cleaned_text"] for s in given["sources"] if len(s["cleaned_text"].split()) >= 200)
        assert page.flattened == " ".join(first.split()[:400])
        assert page.language == "en"


def test_the_shared_pages_halve_evenly() -> None:
    if not DATA.is_dir():
        pytest.skip(f"{DATA} is not here (STEELYARD_DATA names the folder)")
    made = loading.load_corpus(str(DATA / "web_en.jsonl"))
    splits = [p.split for p in made.pages_in("en")]
    assert (splits.count(TRAIN), splits.count(TEST)) == (150, 150)
