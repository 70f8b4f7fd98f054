"""A corpus: what is kept, how it is cut and halved, and that a changed file is refused."""

from __future__ import annotations

import gzip
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
SENTENCES = (
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
    sentences = (
        f"{rng.choice(SENTENCES)} Ship {number} took {rng.randrange(10_000)} barrels." for _ in range(words // 6)
    )
    cut = " ".join(sentences).split()[:words]
    return "\n\n".join(" ".join(cut[at : at + 50]) for at in range(0, words, 50))


def pages(numbers: Sequence[int]) -> list[CorpusCandidate]:
    return [CorpusCandidate(f"page-{n}", prose(n)) for n in numbers]


def jsonl(path: Path, records: Sequence[Any]) -> Path:
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records), "utf-8")
    return path


def test_short_foreign_and_repeated_pages_are_left_out_and_counted() -> None:
    candidates = [
        CorpusCandidate("kept", prose(1, 400)),
        CorpusCandidate("short", prose(2, 199)),
        CorpusCandidate("just long enough", prose(3, 200)),
        CorpusCandidate("dutch", DUTCH * 20),
        CorpusCandidate("german", GERMAN * 20),
        CorpusCandidate("again", prose(1, 400)),
        CorpusCandidate("again with other spaces", prose(1, 400).replace(" ", "\n ")),
        CorpusCandidate("again up to the cut", f"{prose(1, 400)} and something more"),
    ]
    made = corpus.build("mine", candidates)
    assert [(p.id, p.language) for p in made.pages] == [("kept", "en"), ("just long enough", "en"), ("german", "de")]
    assert made.dropped == {
        "fewer than 200 words": 1,
        "in another language": 1,
        "the text of another page": 3,
    }


def test_two_pages_of_one_name_keep_both_names_apart() -> None:
    made = corpus.build("mine", [CorpusCandidate("x", prose(n)) for n in (1, 2, 3)])
    assert [p.id for p in made.pages] == ["x", "x#2", "x#3"]


def test_nothing_to_keep_and_a_cut_shorter_than_the_least_say_why() -> None:
    with pytest.raises(InvalidFile, match=r"^mine: no page could be used \(2 fewer than 200 words\); pages need 200"):
        corpus.build("mine", [CorpusCandidate("a", "short"), CorpusCandidate("b", "")])
    with pytest.raises(InvalidFile, match="there were none"):
        corpus.build("mine", [])
    with pytest.raises(InvalidFile, match="cut at 50 words no page has 200; raise --most or lower --least"):
        corpus.build("mine", pages([1]), max_words=50)


def test_a_page_is_cut_at_400_words_with_its_line_breaks_and_title_in_one_view_only() -> None:
    page = corpus.build("mine", [CorpusCandidate("long", prose(1, 700), title="Ships")]).pages[0]
    text = page.view(STRUCTURED)
    assert text == page.text == prose(1, 700)[: len(text)]
    assert (len(text.split()), text.count("\n\n")) == (400, 7)
    assert page.view(FLATTENED) == page.flattened == " ".join(prose(1, 700).split()[:400])
    assert (page.view_title(STRUCTURED), page.view_title(FLATTENED)) == ("Ships", None)


def test_a_cut_ends_after_a_word() -> None:
    for text, words, expected in [
        ("a b c", 2, "a b"),
        ("a\n\nb  c", 2, "a\n\nb"),
        ("  a b", 1, "  a"),
        ("a", 5, "a"),
        ("", 3, ""),
        ("a b ", 2, "a b"),
    ]:
        assert corpus.cut(text, words) == expected, (text, words)


def test_half_of_each_language_is_train() -> None:
    mixed = [*pages(range(9)), *(CorpusCandidate(f"fr-{n}", prose(n, 260), language="fr") for n in range(20, 24))]
    made = corpus.build("mine", mixed)
    for language, train, test in (("en", 5, 4), ("fr", 2, 2)):
        splits = [p.split for p in made.pages_in(language)]
        assert (splits.count(TRAIN), splits.count(TEST)) == (train, test)


def test_the_split_goes_by_the_hash_of_seed_and_text_and_no_order_or_name_moves_a_page() -> None:
    shuffled = random.Random(1).sample(range(20), 20)
    renamed = [CorpusCandidate(f"other-{i}", c.text) for i, c in enumerate(pages(shuffled))]
    for candidates, seed in ((pages(range(20)), 7), (renamed, 7), (pages(range(20)), 1)):
        made = corpus.build("mine", candidates, seed=seed)
        ordered = sorted(made.pages, key=lambda p: hashlib.sha256(f"{seed}|{p.flattened}".encode()).digest())
        assert [p.split for p in ordered] == [TRAIN] * 10 + [TEST] * 10, seed


def test_a_corpus_file_gives_the_corpus_back(tmp_path: Path) -> None:
    made = corpus.build(
        "mine", [*pages(range(4)), CorpusCandidate("x", "short")], made_from={"a.jsonl": "ab" * 32}, seed=3
    )
    corpus.write(made, tmp_path / "c.jsonl")
    assert is_corpus(tmp_path / "c.jsonl")
    read = corpus.read(tmp_path / "c.jsonl")
    assert read == loading.load_corpus(str(tmp_path / "c.jsonl")) == made
    head, *rest = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text("utf-8").splitlines()]
    assert head == {
        "schema": "steelyard.corpus/1",
        "name": "mine",
        "seed": 3,
        "made_from": {"a.jsonl": "ab" * 32},
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


def test_a_corpus_with_a_page_changed_missing_or_out_of_order_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    corpus.write(corpus.build("mine", [CorpusCandidate(f"p{n}", prose(n), title="Ships") for n in range(4)]), path)
    head, first, *others = path.read_text("utf-8").splitlines()
    page = json.loads(first)
    changes = {"text": "x", "title": "Boats", "split": TEST if page["split"] == TRAIN else TRAIN}
    changed = [[json.dumps({**page, field: value}), *others] for field, value in changes.items()]
    for lines in (*changed, others, [*others, first]):
        path.write_text("\n".join([head, *lines]) + "\n", "utf-8")
        with pytest.raises(InvalidFile, match="not those the header was written for; build the corpus again"):
            corpus.read(path)


def test_a_broken_line_of_a_corpus_is_named(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    corpus.write(corpus.build("mine", pages(range(2))), path)
    whole = path.read_text("utf-8")
    for content, reason in (
        (whole + '{"id": \n', r"c\.jsonl:4: not JSON \(Expecting value at column 7\)"),
        (whole + "3\n", r"c\.jsonl:4: a JSON int, not an object; build the corpus again"),
        (whole.replace('"split"', '"half"'), "a record lacks 'split'"),
    ):
        path.write_text(content, "utf-8")
        with pytest.raises(InvalidFile, match=reason):
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


def test_records_may_be_packed_and_unpacking_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = jsonl(tmp_path / "pages.jsonl", [{"id": str(n), "text": prose(n)} for n in range(3)])
    packed = tmp_path / "pages.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert loading.load_corpus(str(packed)).pages == loading.load_corpus(str(plain)).pages
    packed.write_bytes(gzip.compress(plain.read_bytes())[:-20])
    with pytest.raises(InvalidFile, match="damaged"):
        loading.load_corpus(str(packed))
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    monkeypatch.setattr("steelyard.lab.corpus.MAX_UNPACKED_BYTES", 100)
    with pytest.raises(InvalidFile, match="more than 100 bytes after unpacking"):
        loading.load_corpus(str(packed))
    assert loading.load_corpus(str(plain)).pages


def test_a_wrong_record_names_its_line_counting_blank_ones(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    for line, reason in [
        (b'{"txt": "x"}', r"the record has no `text`; give the page under that key"),
        (b'{"text": 5}', r"the record has no `text`"),
        (b"[1, 2]", r"a JSON list, not an object"),
        (b'"text"', r"a JSON str, not an object"),
        (b"{broken", r"not JSON \(Expecting property name .* at column 2\)"),
        (b"\x00", r"not JSON"),
        (b'{"text": "\xff\xfe"}', r"not JSON \(not UTF-8 at byte 10\)"),
    ]:
        path.write_bytes(b"\n%b\n\n%b\n" % (json.dumps({"text": prose(1)}).encode(), line))
        with pytest.raises(InvalidFile, match=rf"pages\.jsonl:4: {reason}"):
            loading.load_corpus(str(path))


def test_a_corpus_is_not_built_from_a_corpus(tmp_path: Path) -> None:
    corpus.write(corpus.build("mine", pages(range(2))), tmp_path / "c.jsonl")
    with pytest.raises(InvalidFile, match="is a corpus already"):
        loading.build_from_pages(str(tmp_path / "c.jsonl"))


# GEO-Bench


def row(*texts: str) -> dict[str, Any]:
    sources = [{"raw_text": f"<p>{t}</p>", "cleaned_text": t, "url": "https://example.org"} for t in texts]
    return {"query": "q", "tags": [], "sources": sources, "sugg_idx": 0}


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


def test_rows_as_one_json_list_make_the_same_pages(tmp_path: Path) -> None:
    rows = [row(prose(n)) for n in range(3)]
    (tmp_path / "rows.json").write_text(json.dumps(rows, indent=1), "utf-8")
    listed = loading.build_from_geo_bench(str(tmp_path / "rows.json"))
    assert listed.pages == loading.build_from_geo_bench(str(jsonl(tmp_path / "test.jsonl", rows))).pages


def test_what_is_not_geo_bench_is_refused_by_line(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "test.jsonl", [row(prose(1)), {"query": "q", "text": prose(2)}])
    with pytest.raises(InvalidFile, match=r"test\.jsonl:2: the row has no `sources`; is this GEO-Bench's"):
        loading.build_from_geo_bench(str(path))
    for content, reason in (
        ('[{"sources": []}, 3]', "rows.json:2: a JSON int, not an object"),
        ("{", "json: not JSON"),
    ):
        (tmp_path / "rows.json").write_text(content, "utf-8")
        with pytest.raises(InvalidFile, match=reason):
            loading.build_from_geo_bench(str(tmp_path / "rows.json"))
    with pytest.raises(PageUnreadable, match="a directory"):
        loading.build_from_geo_bench(str(tmp_path))
    with pytest.raises(PageUnreadable, match="no such file"):
        loading.build_from_geo_bench(str(tmp_path / "absent.jsonl"))


def test_odd_sources_are_passed_over_and_never_crash(tmp_path: Path) -> None:
    odd: list[Any] = [None, 5, "text", [], {}, {"cleaned_text": 7, "raw_text": None}]
    raw = {"cleaned_text": " ", "raw_text": prose(2)}  # the raw text is read where there is no cleaned one
    rows = [{"sources": [*odd, {"cleaned_text": prose(1)}]}, {"sources": odd}, {"sources": [raw]}]
    made = loading.build_from_geo_bench(str(jsonl(tmp_path / "test.jsonl", rows)))
    assert [p.id for p in made.pages] == ["row-1", "row-3"]


def test_authentic_rows_of_geo_bench_are_read() -> None:
    path = DATA / "geo_bench_rows.json"
    if not path.is_file():
        pytest.skip(f"{path} is not here (STEELYARD_DATA names the folder)")
    made = loading.build_from_geo_bench(str(path))
    rows = json.loads(path.read_text("utf-8"))
    assert len(made.pages) == len(rows)
    for page, record in zip(made.pages, rows, strict=True):
        first = next(s["cleaned_text"] for s in record["sources"] if len(s["cleaned_text"].split()) >= 200)
        assert page.flattened == " ".join(first.split()[:400])
        assert page.language == "en"


def test_the_shared_pages_halve_evenly() -> None:
    if not DATA.is_dir():
        pytest.skip(f"{DATA} is not here (STEELYARD_DATA names the folder)")
    made = loading.load_corpus(str(DATA / "web_en.jsonl"))
    splits = [p.split for p in made.pages_in("en")]
    assert (splits.count(TRAIN), splits.count(TEST)) == (150, 150)
