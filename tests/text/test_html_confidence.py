"""Whether a page was read well: good pages stay good, and readings that were spoilt on purpose are noticed."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterable

import pytest

from steelyard.errors import InvalidSelector, ReadingFailed, SelectedNothing
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import read_page
from steelyard.text.html import HtmlReading, check_selector, extract
from steelyard.text.html.confidence import Evidence, judge_reading
from steelyard.text.html.extraction import extract_here
from steelyard.text.html.selection import MAX_LENGTH, MAX_STEPS
from steelyard.text.html.unseen import list_scripted
from tests.conftest import ROOT, SHARED_DATA

pytest.importorskip("trafilatura", reason="needs the html extra")

PLACES = "quay mole lock weir dyke ford mill yard ferry bridge canal slip".split()
PEOPLE = "council engineer skipper mason surveyor carter treasurer widow pilot diver clerk smith".split()
WORKS = "dredged rebuilt measured painted widened sold drained lit flooded paved repaired closed".split()


def sentences(seed: int, count: int) -> str:
    """Different prose for each seed."""
    rng = random.Random(seed)
    return " ".join(
        f"The {rng.choice(PEOPLE)} said that the {rng.choice(PLACES)} near the {rng.choice(PLACES)} was "
        f"{rng.choice(WORKS)} in {rng.randint(1600, 1990)}, and {rng.choice(PEOPLE)} number {rng.randint(1, 999)} paid."
        for _ in range(count)
    )


def paragraphs(seeds: Iterable[int], tag: str = "p") -> str:
    return "".join(f"<{tag}>{sentences(seed, 3)}</{tag}>" for seed in seeds)


ARTICLE = paragraphs(range(10))
HEAD = '<title>How the old harbour was dredged</title><meta name="description" content="A history of the harbour.">'
MENU = "".join(f'<a href="/{place}">{place.title()} works</a> ' for place in PLACES)
COMMENTS = "".join(f'<div class="c{n}"><b>user{n}</b><p>{sentences(n, 2)}</p></div>' for n in range(100, 140))
TEASERS = "".join(
    f'<div class="t"><h3><a href="/{n}">News {n}</a></h3><p>{sentences(n, 2)}</p></div>' for n in range(200, 250)
)


def page(main: str, after: str = "", head: str = HEAD) -> str:
    return (
        f"<!doctype html><html lang=en><head>{head}</head><body><nav>{MENU}</nav><main><h1>How the old harbour was "
        f"dredged</h1>{main}</main>{after}<footer><p>Imprint of the harbour office</p></footer></body></html>"
    )


def judge(html: str) -> HtmlReading:
    return extract(html).reading


STATE = json.dumps({"state": {"body": ARTICLE}}).replace("<", "\\u003c")
GOOD = {
    "an article": page(ARTICLE),
    "with a sidebar": page(ARTICLE, f'<aside class="sidebar">{TEASERS}</aside>'),
    "with marked comments": page(ARTICLE, f'<section class="comments">{COMMENTS}</section>'),
    "with other texts in a script": page(ARTICLE, f"<script>var more = {json.dumps(sentences(99, 60))}</script>"),
    "with a hidden dialog": page(ARTICLE, f"<div hidden>{paragraphs([77])}</div>"),
}
BAD = {
    "only in a script": (page(f"<div><script>var s = {STATE}</script></div>"), "only in scripts"),
    "only in structured data": (
        page(f'<script type="application/ld+json">{json.dumps({"articleBody": sentences(3, 30)})}</script>'),
        "only in scripts",
    ),
    "hidden until a script shows it": (page(f"<p>{sentences(1, 2)}</p><div hidden>{ARTICLE}</div>"), "hidden"),
    "comments instead": (page("", COMMENTS), "short entries"),
    "comments longer": (page(f"{paragraphs([1])}{COMMENTS}"), "short entries"),
    "teasers instead": (page(TEASERS), ""),
    "links instead": (page("".join(f'<p><a href="/{n}">{sentences(n, 1)}</a></p>' for n in range(30))), "links"),
    "removed": (page("", f"<div>{MENU * 8}</div>"), ""),
}


def test_good_pages_are_good() -> None:
    for name, html in GOOD.items():
        reading = judge(html)
        assert (reading.confidence, reading.reason) == ("good", None), (name, reading)
        assert 0 < reading.read_share <= 1, name


def test_bad_readings_are_noticed_with_their_reason() -> None:
    for name, (html, reason) in BAD.items():
        reading = judge(html)
        assert reading.confidence in ("doubtful", "failed"), (name, reading)
        assert reason in (reading.reason or ""), (name, reading)


def test_the_share_is_that_of_what_a_visitor_sees() -> None:
    whole, beside = (
        judge(page(ARTICLE)),
        judge(page(ARTICLE, f'<aside class="sidebar">{paragraphs(range(90, 100))}</aside>')),
    )
    assert whole.read_share > 0.9
    assert 0.4 < beside.read_share < 0.6


def test_a_reading_that_failed_is_an_error_with_share_reason_and_remedy() -> None:
    with pytest.raises(ReadingFailed, match=r"hidden until .*% of the words .*--selector CSS") as raised:
        read_page(PageRef("page", text=BAD["hidden until a script shows it"][0]))
    assert raised.value.outline


def test_a_page_that_shows_nothing_keeps_its_guard() -> None:
    for html in ("<html></html>", "<html><body><p>Next to nothing.</p></body></html>"):
        assert read_page(PageRef("page", text=html)).reading.confidence == "good", html  # type: ignore[union-attr]


def test_the_outline_has_what_was_read_and_what_was_left_out_in_the_order_of_the_page() -> None:
    outline = extract(GOOD["with a sidebar"]).outline
    texts = [text for text, _ in outline]
    assert [read for text, read in outline if text == sentences(0, 3)] == [True]
    assert [read for text, read in outline if text == sentences(207, 2)] == [False]
    assert texts.index(sentences(0, 3)) < texts.index(sentences(9, 3)) < texts.index(sentences(207, 2))


def test_a_selector_decides_what_is_read() -> None:
    html = page(
        ARTICLE, f'<div id="box" class="sidebar"><h2>The box</h2>{paragraphs([70, 71])}<ul><li>One</li></ul></div>'
    )
    picked = extract(html, selector="#box")
    assert picked.reading.confidence == "good"
    assert picked.markdown.startswith("## The box")
    assert sentences(70, 3) in picked.markdown
    assert sentences(0, 3) not in picked.markdown
    both = extract(html, selector="main > h1, .sidebar p").markdown
    assert both.index("old harbour") < both.index(sentences(71, 3))
    nested = extract(html, selector="body, #box").markdown
    assert nested.count(sentences(70, 3)) == 1
    assert extract(BAD["comments instead"][0], selector="main h1").reading.confidence == "good"


def test_a_selector_that_fits_nothing_is_an_error_that_names_it() -> None:
    for html in (page(ARTICLE), "", page(ARTICLE, '<p id="gone" hidden>x</p>')):
        with pytest.raises(SelectedNothing, match="#gone"):
            extract(html, selector="#gone")


def test_selectors_are_bounded() -> None:
    for selector in (
        "",
        "..",
        "a ~ b",
        "a + b",
        "p:nth-child(2)",
        "p:has(a)",
        "p::before",
        ":not(" * 50,
        "p:contains(x)",
    ):
        with pytest.raises(InvalidSelector):
            check_selector(selector)
    with pytest.raises(InvalidSelector, match=f"{MAX_LENGTH} characters"):
        check_selector("a" * (MAX_LENGTH + 1))
    with pytest.raises(InvalidSelector, match=f"{MAX_STEPS} steps"):
        check_selector(" ".join("a" * (MAX_STEPS + 1)))
    assert check_selector(" main > .text[lang|=en]:not(.old), #a ") == "main > .text[lang|=en]:not(.old), #a"


def measure_seconds(html: str, selector: str | None = None) -> float:
    begun = time.process_time()
    extract_here(html, selector=selector)
    return time.process_time() - begun


def test_confidence_takes_linear_time() -> None:
    hostile = {
        "script quotes": lambda n: page(ARTICLE, f"<script>{chr(92) + chr(34)}{'a b ' * n}{chr(39)}</script>" * 5),
        "scripts": lambda n: page(ARTICLE, "<script>'a b c'</script>" * n),
        "classes": lambda n: page(ARTICLE, f'<div class="{"comment " * n}">x</div>'),
        "hidden": lambda n: page(ARTICLE, "<i hidden>x y</i>" * n),
        "inline": lambda n: page(ARTICLE, f"<p>{'<b>x </b>' * n}</p>"),
    }
    for name, make in hostile.items():
        small, large = (min(measure_seconds(make(n)) for _ in range(2)) for n in (1_000, 8_000))
        assert large < 24 * max(small, 0.02), name
    deep = page("<div>" * 80 + "x" + "</div>" * 80) * 1
    assert measure_seconds(deep, " ".join(["div"] * MAX_STEPS)[:MAX_LENGTH]) < 5


def test_strings_of_scripts_are_read_once_however_they_are_quoted() -> None:
    for script in ('"' * 100_000, '\\"' * 100_000, "'" * 100_000, "`" + "\\`" * 50_000, '"' + "\\" * 100_001):
        begun = time.process_time()
        list(list_scripted([script]))
        assert time.process_time() - begun < 2, script[:4]


def test_any_evidence_gets_one_of_three_answers_and_the_same_one_again() -> None:
    rng = random.Random(5)
    for _ in range(200):
        words = [rng.choice(PLACES) for _ in range(rng.choice((0, 1, 3, 80)))]
        second = [rng.choice(PLACES) for _ in range(rng.choice((0, 2, 90)))]
        answers = {
            judge_reading(Evidence(words, (), (), ["'a b' " * 9], [" ".join(words[:3])], second)) for _ in range(2)
        }
        assert len(answers) == 1
        assert answers.pop().confidence in ("good", "doubtful", "failed")


def test_the_measured_figures_keep_their_bounds() -> None:
    """`python -m tools.reading` writes them; pages of the half called apart were not looked at to set thresholds."""
    measured = json.loads((ROOT / "docs/study/checks/reading.json").read_text("utf-8"))["result"]
    good, bad = 0, 0
    for half in ("seen", "apart"):
        whole, made = measured["pages"][half], measured["made"][half]["bad"]
        assert whole["bad"]["noticed"] == whole["bad"]["pages"], half
        assert whole["good"]["noticed"] <= 0.05 * whole["good"]["pages"], half
        assert made["pages"] >= 200, half
        assert made["noticed"] >= 0.9 * made["pages"], half
        good, bad = good + whole["good"]["pages"], bad + made["pages"]
    assert good > 80
    assert bad > 400
    assert "good" not in measured["html"]["known_bad"]
    assert measured["time_ratio"] <= 1.4


@pytest.mark.full
def test_the_shared_pages_are_judged_as_measured() -> None:
    if not (SHARED_DATA / "html_truth").is_dir():
        pytest.skip(f"{SHARED_DATA / 'html_truth'} is not here (STEELYARD_DATA names the folder)")
    from tools.reading import load_truth, read
    from tools.reading_measures import compare

    judged = [
        (compare(content.markdown, article).f1, content.reading.confidence)
        for content, article in ((read(source), article) for _, source, article in load_truth(SHARED_DATA))
    ]
    assert all(confidence != "good" for f1, confidence in judged if f1 < 0.7)
    of_good = [confidence != "good" for f1, confidence in judged if f1 > 0.9]
    assert sum(of_good) <= 0.05 * len(of_good)


def test_a_label_is_not_read_because_the_text_has_its_words_by_chance() -> None:
    texts = [
        "Hard drives grow faster than anybody expected, and the next storage menu is full of large disks.",
        "The makers of the glass inside them say that each disk will soon hold twice of what it holds now.",
    ]
    menu = "".join(f"<li><a href='/{name}'>{name}</a></li>" for name in ("Storage", "Hard drives", "Menu"))
    page = f"<nav><ul>{menu}</ul></nav><article><h1>Hard drives</h1><p>{texts[0]}</p><p>{texts[1] * 3}</p></article>"
    content = extract_here(f"<html><head><title>Hard drives</title></head><body>{page}</body></html>")
    read = [text for text, is_read in content.outline if is_read]
    assert "Storage" not in read
    assert "Menu" not in read
    assert any(text.startswith("The makers") for text in read)
