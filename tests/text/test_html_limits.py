"""The limits of an HTML page: what is counted, that nothing escapes the count, and that counting is fast."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from steelyard.errors import ExtractionFailed, PageUnreadable, UnknownName
from steelyard.inputs.page_ref import PageRef
from steelyard.pipeline import read_page
from steelyard.text.html.limits import DEFAULT_LIMITS, LIMIT_NAMES, HtmlLimits, admit, parse_limit
from tests.conftest import ROOT
from tests.hostile.pages import within

SECONDS = 60.0  # against hangs; each takes at most two


def attributes_of(source: str) -> tuple[int, int]:
    """How many attributes the count finds, in all and in the tag that has most."""

    def fails(limits: HtmlLimits) -> bool:
        try:
            admit(source, limits)
        except ExtractionFailed:
            return True
        return False

    total = next(n for n in range(1_000) if not fails(replace(DEFAULT_LIMITS, attributes=n)))
    most = next(n for n in range(1_000) if not fails(replace(DEFAULT_LIMITS, tag_attributes=n)))
    return total, most


def test_attributes_are_counted_in_every_form() -> None:
    for source, counts in {
        "plain text, 1 < 2 and a=b": (0, 0),
        "<p>": (0, 0),
        "<p >": (0, 0),
        "<br/>": (0, 0),
        "<p a>": (1, 1),
        "<p a b=1 c='2' d=\"3\" e>": (5, 5),
        "<p a/b/c>": (3, 3),
        '<p a=""b=""c>': (3, 3),
        '<p x=">" a b>': (3, 3),
        "<p x='>' a b>": (3, 3),
        "<p x = \n '>' a b>": (3, 3),
        "<p x=a/b?c=d>": (1, 1),
        "<p a=''b": (2, 2),
        '<p a="never closed> <p b c>': (3, 2),
        "<p\x00 a\x0cb>": (1, 1),  # characters that are taken out before the parser sees the page
        "<p\ta\nb\rc>": (3, 3),
        "<p a b><p c>": (3, 2),
        "</p a b c>": (0, 0),
        "<!-- <p a b> -->": (2, 2),
        "<!-- <p a=' --> <p b c d> <!-- ' -->": (5, 3),
        "<script>'<p a=\"'</script><p b c>": (3, 2),
        "<_x a><:x b><.x c>": (3, 1),
        "<1 a b>": (0, 0),
        "<html a><body b c><HTML d>": (4, 4),  # the parser gives them all to the first
    }.items():
        assert attributes_of(source) == counts, source


def test_a_tag_hidden_from_the_count_by_quotes_in_a_comment_is_counted() -> None:
    many = " ".join(f"a{n}" for n in range(3_000))
    for before in ('<!-- <p x=" -->', "<script>'<p x=\"'</script>", "<p title='<b x=\">'>", "<![CDATA[<p x=']]>"):
        with pytest.raises(ExtractionFailed, match="more than 2,000 attributes in one tag"):
            admit(f"{before}<p {many}>text</p>", DEFAULT_LIMITS)


def test_the_parser_finds_no_attribute_that_was_not_counted() -> None:
    lxml = pytest.importorskip("lxml.html", reason="needs the html extra")
    pieces = "<p|<html|<body| |/|a|c|e|=|\"|'|>|<!--|-->|x=|</p|<script>|</script>".split("|")
    state = 1
    for _ in range(3_000):
        source = "<html><body>"
        for _ in range(30):
            state = state * 48271 % 2147483647
            source += pieces[state % len(pieces)]
        counted = attributes_of(source)
        found = [len(element.attrib) for element in lxml.document_fromstring(source).iter("*")]
        assert sum(found) <= counted[0], source
        assert max(found) <= counted[1], source


def test_a_refusal_names_the_count_the_limit_and_the_option() -> None:
    for source, message in {
        "<p>" * 11: "more than 10 tags (--limit tags=N allows more)",
        "<p a a>" * 11: "more than 20 attributes (--limit attributes=N allows more)",
        "<p " + "a " * 11 + ">": "more than 10 attributes in one tag (--limit tag-attributes=N allows more)",
        "x" * 2_001: "2,001 characters, over the limit of 2,000 (--limit bytes=N allows more)",
        "é" * 1_001: "2,002 bytes, over the limit of 2,000 (--limit bytes=N allows more)",
    }.items():
        limits = HtmlLimits(bytes=2_000, tags=10 if " " not in source else 100, attributes=20, tag_attributes=10)
        with pytest.raises(ExtractionFailed) as refused:
            admit(source, limits)
        assert refused.value.reason == f"it has {message}"
    admit("<p a a>" * 10, HtmlLimits(bytes=70, tags=10, attributes=20, tag_attributes=2))  # at its limits


# Made one after the other: together they would take 160 MB of every process.
HOSTILE: dict[str, Callable[[], str]] = {
    "one tag with 80,000 attributes": lambda: "<p " + " ".join(f"a{n}" for n in range(80_000)) + ">",
    "80,000 attributes after slashes": lambda: "<p " + "/".join(f"a{n}" for n in range(80_000)) + ">",
    "80,000 attributes after quotes": lambda: "<p " + "".join(f'a{n}=""' for n in range(80_000)) + ">",
    "80,000 attributes after a quoted angle": lambda: '<p x=">" ' + " ".join(f"a{n}" for n in range(80_000)) + ">",
    "four tags of 84 kB": lambda: ("<p " + "/".join(f"a{n}" for n in range(14_000)) + ">") * 4,
    "many attributes in many tags": lambda: "<p a b c d e f g h>" * 30_000,
    "many attributes for one element": lambda: "".join(
        f"<html {' '.join(f'a{n}-{k}' for k in range(99))}>" for n in range(99)
    ),
    "names in names": lambda: "<p" * 90_000 + " " * 9_000_000,
    "values in values": lambda: "<p/a=b/" * 90_000 + "x" * 9_000_000,
    "20 MB of tags": lambda: "<p>" * 6_600_000,
}
LARGE: dict[str, Callable[[], str]] = {
    "angles": lambda: "<" * 19_000_000,
    "a tag of blanks": lambda: "<p a" + " " * 19_000_000,
    "one open quote": lambda: '<p a="' + "x" * 19_000_000,
    "quotes": lambda: "<p " + "'\"" * 9_000_000,
    "end tags": lambda: "</p>" * 4_700_000,
    "values with quotes": lambda: ('<p a="' + "x" * 185 + '">') * 99_000,
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_sources_are_refused_in_time(make: Callable[[], str]) -> None:
    with within(SECONDS), pytest.raises(ExtractionFailed):
        admit(make(), DEFAULT_LIMITS)


@pytest.mark.parametrize("make", LARGE.values(), ids=LARGE.keys())
def test_twenty_megabytes_are_counted_in_time(make: Callable[[], str]) -> None:
    with within(SECONDS):
        admit(make(), DEFAULT_LIMITS)


def test_a_limit_is_set_by_its_name_and_a_whole_number() -> None:
    for option in LIMIT_NAMES:
        name, number = parse_limit(f"{option}=7")
        assert getattr(HtmlLimits(**{name: number}), name) == 7
    for setting in ("tags", "tags=", "tags=-1", "tags=1.5", "tags=٣", "tags=1e3", "tags=" + "9" * 5_000):
        with pytest.raises(ValueError, match="write it as tags=N"):
            parse_limit(setting)
    with pytest.raises(UnknownName, match="did you mean 'cells'"):
        parse_limit("cell=3")


def test_every_limit_is_counted() -> None:
    """With a limit of 0, the one that was set refuses a page that has something of everything."""
    pytest.importorskip("lxml.html", reason="needs the html extra")
    source = (
        "<html><body><article><h1 id='a'>Tides</h1><p>The *sea* rises <b>twice</b> a day.</p>"
        "<table><tr><td>1</td><td>2</td></tr></table></article></body></html>"
    )
    page = PageRef("page.html", text=source, html=True)
    read_page(page)
    for option, name in LIMIT_NAMES.items():
        with pytest.raises(PageUnreadable, match=rf"--limit {option}=N"):
            read_page(page, limits=replace(DEFAULT_LIMITS, **{name: 0}))


def test_every_limit_is_documented() -> None:
    text = (ROOT / "docs" / "limits.md").read_text("utf-8")
    documented = re.findall(r"^\| `([a-z-]+)` \| <!-- = code", text, re.MULTILINE)
    assert documented == list(LIMIT_NAMES)
