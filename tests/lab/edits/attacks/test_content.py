"""What an attack adds is what its name says: links are counted as links, hidden text is hidden, figures are figures."""

from __future__ import annotations

import re
import unicodedata
from itertools import chain, pairwise, product

import pytest

from steelyard.lab.edits.attacks import BY_NAME
from steelyard.lab.edits.attacks.base import HEAVY, LIGHT, STRENGTHS
from steelyard.lab.edits.attacks.homoglyphs import LOOKALIKES
from steelyard.lab.edits.attacks.placement import find_sentences
from steelyard.lab.edits.attacks.texts import load_texts
from steelyard.lab.edits.attacks.zero_width import CHARACTERS
from steelyard.lab.edits.base import Target
from steelyard.lab.edits.phrasebook import split_words
from steelyard.text.regex import Subject
from tests.lab.edits.attacks.pages import added, attacked, donors
from tests.lab.edits.pages import LANGUAGES, document, find_matches, lower, targets

each_language = pytest.mark.parametrize("language", LANGUAGES)
each_language_and_strength = pytest.mark.parametrize(("language", "strength"), [*product(LANGUAGES, STRENGTHS)])
RATING = r"[★☆]+|\d(?:[.,]\d)?/\d|(?:5|Five|Fünf|Cinco) (?:stars|Sterne|estrellas)|out of|étoiles|sur 5|von 5|de 5"
KINDS = (r"\[[^\]]+\]\(https://[^)]+\)", r'<a href="https://[^"]+">[^<]+</a>', r"(?<![(\"])https://\S+")


def results(name: str, language: str, strength: str) -> list[tuple[Target, str]]:
    return [(target, attacked(BY_NAME[name], target, strength)) for target in targets(language)]


def blocks(name: str, language: str, strength: str) -> list[tuple[Target, str]]:
    return [(target, added(BY_NAME[name], target, strength)) for target in targets(language)]


def more(pattern: str, target: Target, text: str) -> int:
    """How many matches more than in the page itself."""
    return len(re.findall(pattern, text)) - len(re.findall(pattern, target.text))


@each_language_and_strength
def test_stuffing_is_the_keywords_in_turn(language: str, strength: str):
    for target, block in blocks("stuffing", language, strength):
        said, keywords = split_words(block), lower(target.keywords)
        assert said == [keywords[i % len(keywords)] for i in range(len(said))]


@each_language
def test_light_duplication_is_how_the_page_begins_and_heavy_is_all_of_it(language: str):
    for target, block in blocks("duplication", language, LIGHT):
        assert target.text.lstrip().startswith(block.lstrip())
    for target, block in blocks("duplication", language, HEAVY):
        assert block == target.separator + target.text


@each_language
def test_stuffing_and_duplication_hold_both(language: str):
    for target, block in blocks("stuffing_and_duplication", language, HEAVY):
        assert block.startswith(target.separator + target.text)
        assert set(split_words(block[len(target.separator + target.text) :])) == set(lower(target.keywords))
    for target, block in blocks("stuffing_and_duplication", language, LIGHT):
        assert target.text.split()[:3] == block.split()[:3]
        assert split_words(block)[-1] in lower(target.keywords)


@each_language_and_strength
def test_links_come_in_three_kinds_in_turn(language: str, strength: str):
    for target, text in results("link_injection", language, strength):
        counts = [more(pattern, target, text) for pattern in KINDS]
        assert max(counts) - min(counts) <= 1
        assert sum(counts) >= (6 if strength == LIGHT else 25)


@each_language_and_strength
def test_interleaving_adds_keywords_at_no_regular_distance(language: str, strength: str):
    for target, text in results("keyword_interleaving", language, strength):
        kept = iter(target.text.split())
        upcoming = next(kept)
        places = []
        for at, word in enumerate(text.split()):
            if word == upcoming:
                upcoming = next(kept, "")
            else:
                assert word in target.keywords
                places.append(at)
        distances = {b - a for a, b in pairwise(places)}
        assert len(distances) > (4 if strength == LIGHT else 3)


@each_language
def test_heavy_boilerplate_draws_on_all_styles_and_says_no_sentence_twice_before_all_are_said(language: str):
    book = load_texts(language)
    for _, block in blocks("boilerplate_padding", language, HEAVY):
        said = [
            [
                re.search(re.sub(r"\\\{[a-z]+\\\}", r"[^ ]+", re.escape(text)), block.replace("\n\n", " "))
                for text in texts
            ]
            for texts in book.lists["boilerplate"].values()
        ]
        assert all(any(style) for style in said)
        assert sum(map(bool, chain.from_iterable(said))) >= 8


@each_language_and_strength
def test_zero_width_characters_split_keywords_and_words_of_the_page(language: str, strength: str):
    for target, text in results("zero_width", language, strength):
        added_words = text.split()[len(target.text.split()) :]
        assert sum(text.count(c) for c in CHARACTERS) >= 2 * len(added_words) > 0
        assert all(set(word) & set(CHARACTERS) for word in added_words)
        assert all(unicodedata.category(c) == "Cf" for c in CHARACTERS)


@each_language_and_strength
def test_homoglyphs_change_letters_and_not_the_look_of_the_words(language: str, strength: str):
    back = {look: latin for latin, looks in LOOKALIKES.items() for look in looks}
    for target, text in results("homoglyphs", language, strength):
        assert "".join(back.get(c, c) for c in text) == target.text
        changed = sum(a != b for a, b in zip(target.text.split(), text.split(), strict=True))
        share = changed / len(target.text.split())
        assert 0.08 <= share <= 0.15 if strength == LIGHT else 0.40 <= share <= 0.70


def test_lookalikes_are_cyrillic_and_greek_and_none_stands_for_two_letters():
    looks = [look for values in LOOKALIKES.values() for look in values]
    assert len(set(looks)) == len(looks)
    assert {unicodedata.name(look).split()[0] for look in looks} == {"CYRILLIC", "GREEK"}
    assert all(latin.isascii() and latin.isupper() == look.isupper() for latin, v in LOOKALIKES.items() for look in v)


@each_language
def test_invisible_markup_is_spread_over_many_ways_to_hide(language: str):
    wrappers = load_texts(language).lists["markup"]["hidden"]
    for _, text in results("invisible_markup", language, HEAVY):
        used = [w for w in wrappers if w.split("{}")[0] in text]
        assert len(used) >= 8
        for wrapper in used:
            assert wrapper.split("{}")[1] in text


@each_language_and_strength
def test_comments_hold_keywords_and_are_closed(language: str, strength: str):
    for target, text in results("comments", language, strength):
        assert text.count("<!--") == text.count("-->") >= target.text.count("<!--") + 2
        assert document(text, language).text.split() == document(target.text, language).text.split()


@each_language_and_strength
def test_planted_instructions_stand_in_the_page_in_several_disguises(language: str, strength: str):
    book = load_texts(language)
    forms = [re.sub(r"\\\{[a-z]+\\\}", r"[^ ]+?", re.escape(t)) for t in book.lists["instructions"]["orders"]]
    for _, text in results("planted_instructions", language, strength):
        planted = [form for form in forms if re.search(form, text)]
        assert len(planted) >= (1 if strength == LIGHT else 6)


@each_language_and_strength
def test_open_instructions_wear_no_markup(language: str, strength: str):
    for target, text in results("open_instructions", language, strength):
        for mark in ("<", "[", "*", "(("):
            assert text.count(mark) == target.text.count(mark)
        assert len(document(text, language).text) > len(document(target.text, language).text)


@each_language_and_strength
def test_splicing_inserts_whole_sentences_of_the_donors_once_each(language: str, strength: str):
    pool = {s for donor in donors(language) for s in find_sentences(donor)}
    for target, text in results("splicing", language, strength):
        spliced = [s for s in pool if s in text and s not in target.text]
        assert sum(len(s.split()) for s in spliced) >= len(text.split()) - len(target.text.split())
        assert all(text.count(s) == 1 for s in spliced if not any(s != t and s in t for t in pool))


@each_language
def test_a_paraphrase_keeps_the_subject_and_changes_the_wording(language: str):
    for target, block in blocks("paraphrase", language, HEAVY):
        own, new = set(split_words(target.text)), split_words(block)
        assert 0.6 <= sum(w in own for w in new) / len(new) < 1
        assert not set(find_sentences(target.text)) & set(find_sentences(block))


@pytest.mark.parametrize(
    ("language", "sentence", "expected"),
    [
        ("en", "When the tide falls, the keeper reads the gauge.", "The keeper reads the gauge, when the tide"),
        ("fr", "Quand la mer descend, le gardien lit le registre.", "Le gardien lit le registre, "),
    ],
)
def test_a_clause_before_a_comma_is_moved_to_the_end(language: str, sentence: str, expected: str):
    page = Target(f"{sentence} " * 6, language)
    texts = [BY_NAME["paraphrase"].apply(page, HEAVY, seed=seed) for seed in range(5)]
    assert any(expected in text for text in texts)


def test_a_synonym_fits_the_article_before_it():
    page = Target("The clerk has a method, a goal and an idea for a robust harbour ledger of the tide. " * 4)
    for seed in range(20):
        text = BY_NAME["paraphrase"].apply(page, HEAVY, seed=seed)
        assert not re.search(r"\ba (?:approach|aim)\b|\ban (?:notion|method)\b", text)


@each_language_and_strength
def test_the_faq_is_questions_and_answers_on_the_topic(language: str, strength: str):
    for target, block in blocks("fake_faq", language, strength):
        assert block.count("?") >= (1 if strength == LIGHT else 5)
        assert set(split_words(block)) & set(lower(target.topics))
        if target.separator == "\n\n":
            assert re.search(r"^(?:###|\*\*)", block, re.MULTILINE)


@each_language_and_strength
def test_an_entity_dump_is_names_that_the_pack_finds_and_no_sentence(language: str, strength: str):
    for target, block in blocks("entity_dump", language, strength):
        assert find_sentences(block) == []
        doc = document(block, language)
        named = doc.language.families["entity"].matcher.find_all(Subject(doc.text))
        assert len(named) >= len(block.split()) / 8
        counts_all = doc.language.evidence != "prose"  # an edition that counts running text alone counts no dump
        assert len(doc.find("entity")) == (len(named) if counts_all else 0)
        assert target.separator in block


@each_language_and_strength
def test_a_number_dump_is_figures_and_no_sentence(language: str, strength: str):
    for _, block in blocks("number_dump", language, strength):
        units = [unit for line in block.strip().splitlines() if line for unit in line.split(";")]
        assert all(any(c.isdigit() for c in unit) for unit in units)
        assert find_sentences(block) == []
        assert "%" in block


@each_language
def test_invented_citations_are_citations_to_the_pack_and_come_in_several_formats(language: str):
    for _, block in blocks("invented_citations", language, HEAVY):
        doc = document(block, language)
        assert len(find_matches(block, language, "citation")) >= 3
        assert len({doc.pattern_id(m) for m in doc.find("citation")}) >= 2


@each_language
def test_no_address_leads_to_a_name_that_somebody_owns(language: str):
    host = re.compile(r"https?://([^/\s)\"<>]+)")
    for name, target in product([name for name in BY_NAME if name != "splicing"], targets(language)[:2]):
        new = {*host.findall(attacked(BY_NAME[name], target, HEAVY))} - {*host.findall(target.text)}
        assert all(re.search(r"(?:^|\.)(?:example\.(?:com|org|net)|example|test|doi\.org)$", h) for h in new), new


@each_language
def test_near_duplicates_keep_max_words_of_the_page_and_change_its_numbers(language: str):
    for target, block in blocks("near_duplicates", language, HEAVY):
        own = set(split_words(target.text))
        said = split_words(block)
        assert sum(word in own for word in said) >= 0.9 * len(said)
        assert block.strip() not in target.text
        numbers = set(re.findall(r"\d{3,}", block))
        assert not numbers or numbers - set(re.findall(r"\d{3,}", target.text))


@each_language_and_strength
def test_invented_tables_are_rows_of_a_label_and_numbers(language: str, strength: str):
    for target, block in blocks("invented_tables", language, strength):
        assert len(re.findall(r"\d", block)) > len(block.split()) / 2
        assert set(split_words(block)) & set(lower(target.topics))
        if "\n" in target.separator:
            assert all(re.search(r"\d", row) for row in block.strip().splitlines() if row)
            assert len(block.strip().splitlines()) >= (3 if strength == LIGHT else 15)


@each_language_and_strength
def test_a_navigation_dump_is_menus_without_a_sentence(language: str, strength: str):
    for target, block in blocks("navigation_dump", language, strength):
        assert not re.search(r"[.!?](?:\s|$)", block)
        assert set(split_words(block)) & set(lower(target.topics))
        assert sum(block.count(mark) for mark in "|>»·/") >= 2


@each_language_and_strength
def test_invented_reviews_have_a_rating_and_a_name_each(language: str, strength: str):
    names = set(load_texts(language).slots.values["first"])
    for _, block in blocks("invented_reviews", language, strength):
        ratings = len(re.findall(RATING, block))
        assert ratings >= (1 if strength == LIGHT else 8)
        assert len(names & set(re.findall(r"[^\W\d_]+", block))) >= (1 if strength == LIGHT else 4)
