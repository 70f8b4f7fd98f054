"""The pages that score and compare, as a browser without scripts uses them."""

from __future__ import annotations

import json
import re

from lxml import html as lxml_html

from steelyard.inputs.page_ref import PageRef
from steelyard.pages.descriptions import SCOPE
from steelyard.web import fetching
from steelyard.web.app import HANDLERS
from tests.pages.test_reading import DOUBTFUL, FAILED
from tests.web.addresses import NAVIGATION, NOT_IN_NAVIGATION, PAGES
from tests.web.conftest import PAGE

HTML = f"<!doctype html><html lang='en'><title>Tides</title><body><article><h1>Tides</h1><p>{PAGE}</p></article></body>"


def test_every_page_has_its_landmarks_and_says_what_the_score_is(serve, store: str) -> None:
    client = serve(store=store)
    for path in NAVIGATION:
        found = client.get(path)
        assert found.status_code == 200, path
        tree = lxml_html.fromstring(found.text)
        assert len(tree.xpath("//main")) == len(tree.xpath("//h1")) == len(tree.xpath("//footer")) == 1, path
        assert tree.xpath("//nav[@aria-label]//a[@aria-current='page']/@href") == [path]
        assert SCOPE in tree.text_content(), path
        labelled = set(tree.xpath("//label/@for"))
        for field in tree.xpath("//main//input[not(@type='hidden')] | //main//textarea | //main//select"):
            assert field.get("id") in labelled or field.xpath("ancestor::label"), lxml_html.tostring(field)


def test_every_page_of_its_own_is_in_the_navigation(serve, store: str) -> None:
    client = serve(store=store)
    tree = lxml_html.fromstring(client.get("/").text)
    assert sorted(tree.xpath("//nav[@aria-label='Main']//a/@href")) == sorted(NAVIGATION)
    assert set(PAGES) >= NOT_IN_NAVIGATION
    for method, path, _ in HANDLERS:
        if method == "GET" and "{" not in path:
            kind = client.get(path).headers["content-type"].partition(";")[0]
            assert (kind == "text/html") == (path in PAGES), path


def test_a_text_is_scored_with_its_evidence_and_formulas(client, send) -> None:
    found = send(client, "/", {"text": PAGE})
    assert found.status_code == 200
    tree = lxml_html.fromstring(found.text)
    assert re.fullmatch(r"\d+\.\d", tree.xpath("string(//p[@class='score']/b)"))
    assert "rose by 12" in " ".join(mark.text_content() for mark in tree.xpath("//div[@class='text']//mark"))
    details = tree.xpath("//details[@class='component']")
    assert len(details) == 13  # eleven components, freshness, and the steps
    statistic = next(d for d in details if d.get("data-key") == "statistic_density")
    assert {"Formula", "S", "W", "D", "Value", "Points"} <= {dt.text_content() for dt in statistic.xpath(".//dt")}
    assert tree.xpath("string(//textarea[@id='text'])").strip() == PAGE.strip()
    part = send(client, "/?part=result", {"text": PAGE}).text  # what the script gets
    assert ("<main" in part, '<h2 id="score-heading">' in part) == (False, True)


def test_choices_change_the_result_and_stay_in_the_form(client, send) -> None:
    fields = {"text": PAGE, "title": "Other", "language": "fr", "edition": "2026", "as_of": "2026-07-01"}
    tree = lxml_html.fromstring(send(client, "/", fields).text)
    assert "as of 2026-07-01, edition 2026" in tree.text_content()
    assert "scored as 'fr' as requested" in tree.text_content()
    assert "manipulation: " in tree.text_content()
    assert "Not compared with other pages" in tree.text_content()
    assert tree.xpath("string(//select[@id='edition']/option[@selected])") == "2026"
    assert tree.xpath("string(//input[@id='title']/@value)") == "Other"


def test_a_wrong_form_is_explained_and_keeps_its_text(client, send) -> None:
    for fields, message in (
        ({"text": "  \n"}, "there is no text to score"),
        ({"text": PAGE, "language": "xx"}, "language is 'xx'; write one of auto, en"),
        ({"text": PAGE, "as_of": "yesterday"}, "as_of is 'yesterday'; write a date such as 2026-07-01"),
        ({"text": PAGE, "title": "t" * 1001}, "title has 1,001 characters; write at most 1,000"),
        ({"text": "这是一个关于潮汐的页面。" * 40}, "the text looks like"),
    ):
        found = send(client, "/", fields)
        assert found.status_code == 422, message
        tree = lxml_html.fromstring(found.text)
        assert message in tree.xpath("string(//p[@role='alert'])")
        assert tree.xpath("string(//textarea[@id='text'])").strip() == fields["text"].strip()


def test_a_file_is_scored_and_its_html_can_be_edited_as_text(client, send) -> None:
    found = send(client, "/upload", {}, files={"file": ("C:\\pages\\tides.html", HTML.encode(), "text/html")})
    assert found.status_code == 200
    tree = lxml_html.fromstring(found.text)
    assert tree.xpath("//input[@name='source']/@value") == ["tides.html"]
    assert tree.xpath("//input[@name='is_html']/@checked")
    fields = {"text": HTML, "is_html": "1", "source": "tides.html"}
    edited = lxml_html.fromstring(send(client, "/extract", fields).text)
    assert "<article>" not in edited.xpath("string(//textarea[@id='text'])")
    assert "The sea rises twice a day" in edited.xpath("string(//textarea[@id='text'])")
    assert edited.xpath("string(//input[@id='title']/@value)") == "Tides"


def test_a_file_that_is_no_text_is_refused(client, send) -> None:
    found = send(
        client, "/upload", {}, files={"file": ("a.md", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, "text/plain")}
    )
    assert found.status_code == 422
    assert send(client, "/upload", {}).status_code == 422


def test_a_fetched_page_is_scored_and_can_be_sent_again(client, send, monkeypatch) -> None:
    address = "https://example.org/tides"
    monkeypatch.setattr(
        fetching, "load_address", lambda url, *, allow_private: PageRef(url, text=HTML, url=url, html=True)
    )
    tree = lxml_html.fromstring(send(client, "/fetch", {"url": address}).text)
    assert tree.xpath("//input[@name='address']/@value") == [address]
    assert tree.xpath("//p[@class='score']")
    typed = tree.xpath("string(//textarea[@id='text'])")
    assert ("<article>" in typed, "The sea rises twice a day" in typed) == (False, True)
    assert not tree.xpath("//input[@name='is_html']/@checked")
    assert json.loads(tree.xpath("string(//@data-marks)"))  # so that suggestions select words
    source = lxml_html.fromstring(send(client, "/fetch", {"address": address, "as_html": "1"}).text)
    assert "<article>" in source.xpath("string(//textarea[@id='text'])")
    score = source.xpath("string(//p[@class='score']/b)")
    assert f"As it was sent it scores {score}" in tree.text_content()
    fields = {name: tree.xpath(f"string(//*[@name='{name}']/@value)") for name in ("address", "source")}
    again = send(client, "/export", {**fields, "text": HTML, "is_html": "1"})
    assert address in again.text


def test_the_text_of_a_fetched_page_keeps_its_date(client, send, monkeypatch) -> None:
    dated = HTML.replace("<title>", '<meta property="article:published_time" content="2026-05-02"><title>')
    monkeypatch.setattr(
        fetching, "load_address", lambda url, *, allow_private: PageRef(url, text=dated, url=url, html=True)
    )
    shown = send(client, "/fetch", {"url": "https://example.org/tides"}).text
    assert "published: 2026-05-02" in lxml_html.fromstring(shown).xpath("string(//textarea[@id='text'])")
    assert "the page has no date" not in shown


def test_the_first_page_offers_a_sample(client) -> None:
    assert lxml_html.fromstring(client.get("/").text).xpath("//a[@href='/?sample']")
    tree = lxml_html.fromstring(client.get("/?sample").text)
    assert tree.xpath("//p[@class='score']/b")
    assert tree.xpath("//ol[@class='suggestions']/li[@data-start]")


def test_kind_and_uncertain_suggestions_are_settings(client, send) -> None:
    text = PAGE + "\n\nThis is a very good thing, and it was seen that it is very good for all of them.\n"
    plain, more = (send(client, "/", {"text": text, **fields}).text for fields in ({}, {"uncertain": "1"}))
    shown = lxml_html.fromstring(more)
    assert shown.xpath("//input[@name='uncertain']/@checked")
    assert len(shown.xpath("//ol[@class='suggestions']/li")) > len(
        lxml_html.fromstring(plain).xpath("//ol[@class='suggestions']/li")
    )
    chosen = lxml_html.fromstring(send(client, "/", {"text": text, "kind": "how-to"}).text)
    assert chosen.xpath("string(//select[@id='kind']/option[@selected])") == "how-to"


def test_no_option_of_the_command_line_is_named(client, send) -> None:
    for page, remedy in ((DOUBTFUL, "CSS selector"), (FAILED, "name the main part under Settings")):
        shown = send(client, "/", {"text": page, "is_html": "1"}).text
        assert " --" not in lxml_html.fromstring(shown).xpath("string(//div[@id='result'])")
        assert remedy in shown


def test_an_address_that_is_none_is_refused(client, send) -> None:
    for url in ("ftp://example.org/", "nothing", "http://", "https://user:word@example.org/", "http://a b/"):
        found = send(client, "/fetch", {"url": url})
        assert (found.status_code, 'role="alert"' in found.text) == (422, True), url


def test_a_result_is_exported_as_one_file_without_requests(client, send) -> None:
    found = send(client, "/export", {"text": PAGE, "source": "tides.md", "as_of": "2026-07-01"})
    assert found.headers["content-disposition"] == 'attachment; filename="steelyard-report.html"'
    assert "tides.md" in found.text
    assert "default-src 'none'" in found.text
    assert not lxml_html.fromstring(found.text).xpath("//*[@src]")


def test_two_versions_are_compared_side_by_side(client, send) -> None:
    better = PAGE + "\n\n“It grew by 30% in 2025,” said Tom Hale of the Wick Museum.\n"
    found = send(client, "/compare", {"old": PAGE, "new": better}, page="/compare")
    assert found.status_code == 200
    tree = lxml_html.fromstring(found.text)
    assert len(tree.xpath("//p[@class='score']/b")) == 2
    assert len(tree.xpath("//div[@class='text']")) == 2
    assert len(tree.xpath("//table[@class='changes']/tbody/tr")) == 17
    assert "Wick Museum" in tree.text_content()
    part = send(client, "/compare?part=result", {"old": PAGE, "new": better}, page="/compare")
    assert "<main" not in part.text


def test_a_comparison_needs_two_versions_and_takes_files(client, send) -> None:
    assert send(client, "/compare", {"old": PAGE, "new": ""}, page="/compare").status_code == 422
    files = {"new_file": ("new.html", HTML.encode(), "text/html")}
    found = send(client, "/compare", {"old": PAGE, "new": ""}, page="/compare", files=files)
    assert found.status_code == 200
    assert lxml_html.fromstring(found.text).xpath("//input[@name='new_is_html']/@checked")


def test_static_files_are_kept_by_browsers_and_others_do_not_exist(client) -> None:
    for address in re.findall(r'(?:href|src)="(/static/[^"]+)"', client.get("/").text):
        found = client.get(address)
        assert found.status_code == 200
        assert "immutable" in found.headers["cache-control"]
        assert found.headers["content-type"].startswith(("text/css", "text/javascript"))
    for name in ("nothing.css", "..%2fapp.py", "%2e%2e/app.py"):
        assert client.get(f"/static/{name}").status_code == 404


def test_unknown_addresses_and_methods_are_explained(client) -> None:
    assert "Not found" in client.get("/nothing").text
    found = client.put("/compare")
    assert found.status_code == 405
    assert set(found.headers["allow"].split(", ")) == {"GET", "HEAD", "POST"}
    assert client.get("/api/nothing").json() == {"error": "there is nothing at this address"}


def test_a_doubtful_reading_is_said_first_and_a_selector_names_the_main_part(client, send) -> None:
    fields = {"text": DOUBTFUL, "is_html": "1", "as_of": "2026-07-01"}
    shown = send(client, "/", fields).text
    assert shown.index("doubtful reading") < shown.index("Points</h3>")
    assert '<del aria-label="left out">' in shown
    chosen = send(client, "/", {**fields, "selector": "main > h1"}).text
    assert "good reading" in chosen
    assert 'value="main &gt; h1"' in chosen
    assert "the main text was not found" in send(client, "/", {**fields, "text": FAILED}).text
