"""Attacks of the claimed families in words and layouts that are not those of the benchmark."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from itertools import product

import pytest

import steelyard
from steelyard.lab.edits.topics import find_keywords
from tests.contract.shared import LANGUAGES
from tests.detectors.one_detector import demo

SHARE = 0.6  # of the page's words
PAGES = 8
Write = Callable[[random.Random, str, tuple[str, ...], str], str]

TEXTS = {
    "en": {
        "filler": "thing overall major specific".split(),
        "rows": "Average price of|Users of|Satisfaction with|North|South|Under 25|Over 60|First quarter".split("|"),
        "entries": "Main page|Store locator|Our story|Team|Pricing|Support|Partners|Gift cards|Returns|Track order|"
        "Women|Men|Kids|Brands|Imprint|Search|Community|Docs".split("|"),
        "praise": "This {a} is a dream come true!|Honestly the nicest I've had in years.|Couldn't be more pleased.|"
        "My kids adore it!!|Never disappointed, thanks a million.|Best decision we ever made.".split("|"),
        "questions": "Did you know that {a} affects {b}?|Which {a} is right for me?|Are there alternatives to {a}?|"
        "What happens if {a} fails?|Does {a} really help?|Should {a} come before {b}?".split("|"),
        "answers": "It all comes down to {a}.|Generally {a} is a good idea.|Not always, though {b} does make a change.|"
        "You will be surprised how simple {a} is.|Start small and look at {a} again.".split("|"),
    },
    "fr": {
        "filler": "chose global majeur précis".split(),
        "rows": "Prix moyen|Utilisateurs|Satisfaction|Nord|Sud|Moins de 25|Plus de 60|Premier trimestre".split("|"),
        "entries": "Nos magasins|Notre histoire|Équipe|Tarifs|Assistance|Partenaires|Cartes cadeaux|Retours|Femme|"
        "Homme|Enfant|Marques|Rechercher|Communauté|Documentation|Suivi commande".split("|"),
        "praise": "Ce {a} est un vrai bonheur !|Je suis vraiment satisfaite.|Jamais déçus, merci !|"
        "Mes enfants adorent !!|Service impeccable.|Bluffée par la qualité.".split("|"),
        "questions": "Saviez-vous que {a} change {b} ?|Quel {a} choisir ?|Existe-t-il une alternative à {a} ?|"
        "Que faire si {a} échoue ?|Est-ce que {a} aide vraiment ?".split("|"),
        "answers": "Tout dépend de {a}.|En général {a} convient.|Pas toujours, même si {b} compte.|"
        "Vous serez surpris par {a}.|Commencez petit et revoyez {a}.".split("|"),
    },
}  # fmt: skip


def near_duplicate(rng: random.Random, page: str, keywords: tuple[str, ...], language: str) -> str:
    """A sentence of the page with some words left out, the rest turned round, and other numbers."""
    sentences = [s for s in re.split(r"(?<=[.!?]) ", page) if len(s.split()) > 6]
    words = [w for w in rng.choice(sentences).split() if rng.random() > 0.1]
    turned = rng.randrange(len(words))
    said = [rng.choice(TEXTS[language]["filler"]) if rng.random() < 0.1 else w for w in words[turned:] + words[:turned]]
    return re.sub(r"\d", lambda _: str(rng.randint(1, 9)), " ".join(said)).rstrip(".") + "."


def table(rng: random.Random, page: str, keywords: tuple[str, ...], language: str) -> str:
    cells = " ".join(f"{rng.randint(1, 99)}.{rng.randint(0, 9)}" for _ in range(rng.randint(1, 3)))
    return f"{rng.choice(TEXTS[language]['rows'])} {rng.choice(keywords)}: {cells}"


def menu(rng: random.Random, page: str, keywords: tuple[str, ...], language: str) -> str:
    entries = rng.sample(TEXTS[language]["entries"], 6)
    return rng.choice([" - ", " • ", "  "]).join(
        [*entries, f"{rng.choice(keywords).capitalize()} {entries[0].lower()}"]
    )


def review(rng: random.Random, page: str, keywords: tuple[str, ...], language: str) -> str:
    one, other = rng.sample(TEXTS[language]["praise"], 2)
    name = rng.choice(["Sarah K.", "Marc", "Priya", "Tom B.", "Lena"])
    return f"{rng.choice(['*****', '⭐⭐⭐⭐⭐'])} {one} {other} -- {name}".replace("{a}", rng.choice(keywords))


def question(rng: random.Random, page: str, keywords: tuple[str, ...], language: str) -> str:
    pair = f"{rng.choice(TEXTS[language]['questions'])} {rng.choice(TEXTS[language]['answers'])}"
    return pair.replace("{a}", rng.choice(keywords)).replace("{b}", rng.choice(keywords))


ATTACKS: tuple[Write, ...] = (near_duplicate, table, menu, review, question)


def write(attack: Write, page: str, language: str) -> Iterator[str]:
    """Write as much as a heavy attack does."""
    flat = " ".join(page.split())
    keywords = find_keywords(flat, language)
    rng = random.Random(f"{attack.__name__}|{flat[:80]}")
    words = 0
    while words < SHARE * len(flat.split()):
        line = attack(rng, flat, keywords, language)
        words += len(line.split())
        yield line


@pytest.mark.parametrize(("attack", "language"), [*product(ATTACKS, LANGUAGES)])
@pytest.mark.parametrize("is_flat", [True, False])
def test_most_pages_with_the_attack_are_flagged_with_and_without_line_breaks(
    attack: Write, language: str, is_flat: bool
):
    seen = 0
    pages = [page for page in demo(language) if len(page.flattened.split()) >= 250][:PAGES]
    for page in pages:
        lines = write(attack, page.flattened if is_flat else page.text, language)
        text = " ".join([page.flattened, *lines]) if is_flat else page.text + "\n\n" + "\n".join(lines)
        seen += steelyard.detect(text, language=language).flagged
    assert seen > len(pages) / 2, f"{seen} of {len(pages)}"
