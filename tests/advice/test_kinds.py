"""The kind of a page: certain where its cues are clear, the same everywhere, cheap, and without effect on a score."""

from __future__ import annotations

import json
import time
import tomllib
from datetime import date
from pathlib import Path

import pytest

import steelyard
from steelyard.advice.kinds import CUES, KINDS, find_kind
from steelyard.advice.page_features import AMOUNTS, WORD_GROUPS, load_kind_words
from steelyard.errors import UnknownName
from steelyard.inputs.page_ref import PageRef
from steelyard.languages import CODES, read_shared, read_toml
from steelyard.pipeline import Page, analyse, open_document
from steelyard.settings import Settings
from steelyard.text.html import extract, is_installed
from tests.conftest import ROOT, SHARED_DATA, run_here

AS_OF = date(2026, 7, 1)
PAGES = tomllib.loads((Path(__file__).parent / "kind_pages.toml").read_text("utf-8"))
PROSE = "The tide rises and falls twice a day in most harbours of the northern sea, as tables of the port show. "


def kind_of(text: str, language: str = "en", **page: object) -> tuple[str, bool]:
    settings = Settings.resolve(as_of=AS_OF, edition="2026", language=language)
    doc, _ = open_document(Page("page", text), settings)
    return find_kind(doc, **page)[:2]  # type: ignore[arg-type]


@pytest.mark.parametrize("language", PAGES)
def test_the_kind_of_a_clear_page_is_certain(language: str) -> None:
    found = {kind: kind_of(text, language) for kind, text in PAGES[language].items()}
    assert found == {kind: (kind, True) for kind in PAGES[language]}


def test_plain_prose_and_a_few_words_have_no_certain_kind() -> None:
    for text in (PROSE * 6, "Buy now!", "", "Said the police on Tuesday."):
        assert not kind_of(text)[1], text


def test_what_html_says_of_itself_counts_whatever_its_length() -> None:
    assert kind_of(PROSE, types=("Recipe",)) == ("how-to", True)
    assert kind_of(PROSE, types=("QAPage", "WebPage")) == ("question-answer", True)
    assert kind_of(PAGES["en"]["news"], types=("Thing",)) == ("news", True)


def test_an_address_and_a_title_are_cues() -> None:
    settings = Settings.resolve(as_of=AS_OF, title="Terms of use", language="en")
    doc, _ = open_document(Page("page", PROSE * 3), settings)
    kind = find_kind(doc, url="https://example.org/legal/")
    assert kind.name == "legal"
    assert kind.because[:2] == ("the title (terms of)", "the address (legal)")
    assert find_kind(doc, url="https://[broken/").because[0] == "the title (terms of)"


def test_headings_that_ask_make_questions_and_answers() -> None:
    faq = "".join(f"## What is a {thing}?\n\n{PROSE}\n\n" for thing in ("tide", "buoy", "pier", "lock"))
    assert kind_of(faq) == ("question-answer", True)
    assert kind_of(faq.replace("?", ""))[0] != "question-answer"


def test_words_inside_quotations_are_not_those_of_the_page() -> None:
    said = "“I think my team was terrible and I believe I should say so myself,” said the coach on Sunday. "
    assert kind_of(said * 6)[0] == "news"


@pytest.mark.skipif(not is_installed(), reason="the extra html is not installed")
def test_types_are_read_from_structured_data() -> None:
    def types(data: object, head: str = "") -> tuple[str, ...]:
        script = f'<script type="application/ld+json">{json.dumps(data)}</script>'
        return extract(f"<html><head>{head}{script}</head><body><p>{PROSE}</p></body></html>").types

    assert types({"@type": "Recipe"}) == ("Recipe",)
    assert types({"@graph": [{"@type": ["WebPage", "FAQPage"]}, {"@type": "Person"}]}) == (
        "WebPage",
        "FAQPage",
        "Person",
    )
    assert types({"@type": "https://schema.org/Product", "author": {"@type": "Person"}}) == ("Product",)
    assert types([[[{"@type": 3}]]]) == types("Recipe") == types({"@type": "x" * 100}) == ()
    assert types({}, '<meta property="og:type" content="product">') == ("Product",)
    assert len(types([{"@type": f"T{n}"} for n in range(5_000)])) == 20


def test_a_kind_moves_no_number_and_is_in_every_result(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(PAGES["en"]["how-to"], "utf-8")
    decided = steelyard.score_file(path, as_of=AS_OF)
    given = steelyard.score_file(path, as_of=AS_OF, kind="legal")
    assert (decided.kind.name, decided.kind.certain) == ("how-to", True)
    assert given.kind == ("legal", True, ("given by the user",))
    assert given.page.to_row() == decided.page.to_row()
    assert given.to_dict()["kind"] == {"name": "legal", "certain": True, "because": ["given by the user"]}
    assert decided.to_dict(with_evidence=False)["kind"] == {"name": "how-to", "certain": True}
    assert (decided.to_row()["kind"], decided.to_row()["kind_certain"]) == ("how-to", True)
    with pytest.raises(UnknownName, match="legal"):
        steelyard.score_file(path, kind="leagl")


def test_a_kind_may_be_configured_for_some_files(tmp_path: Path) -> None:
    (tmp_path / "terms.md").write_text(PROSE * 5, "utf-8")
    (tmp_path / "soup.md").write_text(PAGES["en"]["how-to"], "utf-8")
    (tmp_path / "steelyard.toml").write_text('[[overrides]]\nfiles = ["terms.md"]\nkind = "legal"\n', "utf-8")

    def kind(*arguments: str) -> object:
        done = run_here("score", *arguments, "--format", "json", "--no-evidence", cwd=tmp_path)
        return json.loads(done.stdout)["pages"][0]["kind"]

    assert kind("terms.md") == {"name": "legal", "certain": True}
    assert kind("terms.md", "--kind", "product") == {"name": "product", "certain": True}
    assert kind("terms.md", "--kind", "auto")["certain"] is False  # type: ignore[index]
    assert kind("soup.md") == {"name": "how-to", "certain": True}
    assert "unknown kind of page 'recipe'" in run_here("score", "soup.md", "--kind", "recipe", cwd=tmp_path).stderr
    assert "kind how-to" in run_here("score", "soup.md", cwd=tmp_path).stdout
    assert "kind how-to: sentences that begin with a command" in " ".join(
        run_here("explain", "soup.md", cwd=tmp_path).stdout.split()
    )
    assert run_here("check", ".", "--kind", "news", "--no-cache", cwd=tmp_path).returncode in (0, 1)


def test_both_cores_find_the_same_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("steelyard_core")
    settings = Settings.resolve(as_of=AS_OF, edition="2026")
    for language, pages in PAGES.items():
        for kind, text in pages.items():
            found = []
            for core in ("python", "native"):
                monkeypatch.setenv("STEELYARD_CORE", core)
                found.append(analyse(PageRef("page", text=text), settings).kind)
            assert found[0] == found[1], (language, kind)


def test_every_language_has_words_for_every_cue_and_only_known_kinds() -> None:
    assert {cue.amount for cue in CUES} <= set(AMOUNTS)
    assert all(set(cue.weights) <= set(KINDS) for cue in CUES)
    for code in CODES:
        data = read_toml(code, "kinds.toml")
        assert set(WORD_GROUPS) | {"command"} == set(data["words"]) - {"you_as_written"}, code
        for source in ("phrases", "headings", "titles"):
            assert set(data[source]) <= set(KINDS), (code, source)
            found = [words for words_of in data[source].values() for words in words_of]
            assert all(words == words.lower() for words in found), (code, source)
        words = [word for group in WORD_GROUPS for word in data["words"][group].split()]
        assert all(word == word.lower() for word in words), code
        assert load_kind_words(code).groups
    for source, kinds in read_shared("kinds").items():
        assert set(kinds) <= set(KINDS), source


def test_a_kind_is_found_in_bounded_time_on_any_page() -> None:
    settings = Settings.resolve(as_of=AS_OF, language="en")
    hostile = ("“", '"', "\n", "(", "A ", "(1900", "is ", "[1]", "# a\n", "| a |\n", "?! ", "Q: ", "«a", "1. ", "—\n")
    for piece in hostile:
        doc, _ = open_document(Page("page", piece * 40_000), settings)
        assert doc.structure.view.text is not None
        start = time.perf_counter()
        find_kind(doc)
        assert time.perf_counter() - start < 2.0, piece


def read_checks() -> dict[str, dict[str, int]]:
    path = ROOT / "docs" / "study" / "checks" / "page-kinds.json"
    groups: dict[str, dict[str, int]] = json.loads(path.read_text("utf-8"))["groups"]
    return groups


@pytest.mark.full
@pytest.mark.skipif(not (SHARED_DATA / "human").is_dir(), reason="the pages with readers' kinds are not here")
def test_the_committed_agreement_with_readers_is_that_of_this_code() -> None:
    from tools.page_kinds import measure

    measured, _ = measure(kept_apart=False)
    assert measured == {name: counts for name, counts in read_checks().items() if name in measured}
