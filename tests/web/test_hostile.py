"""Hostile text in every field: it comes back escaped, and the page has the same elements as with harmless text."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from lxml import html as lxml_html

from tests.web.conftest import PAGE

HOSTILE = {
    "script": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "closing": "</textarea></title></script></style><svg onload=alert(1)>",
    "quotes": '"\' onfocus=alert(1) autofocus x="`',
    "template": "{{ 7 * 7 }} {% raw %} ${7*7} #{7*7} <%= 7 %>",
    "entities": "&lt;b&gt; &#60;script&#62; &amp;amp;",
    "bidi": "\u202egnp.exe\u2066 \u200b\ufeff zero\u00adwidth",
    "control": "bell \x07 escape \x1b[31m delete \x7f and \x85",
    "line separators": "one\u2028two\u2029three",
    "comment": "<!-- --> --!> ]]> <![CDATA[ x",
    "long": "word" * 200,
}
HARMLESS = "harmless words"
AS_LONG = {"long": "harm" * 200}  # since a long title is a finding
FORM_FIELDS = ("text", "title", "language", "edition", "as_of", "kind", "address", "source")


def list_elements(page: str) -> list[tuple[str, tuple[str, ...]]]:
    """Every element outside the page's own text, with the names of its attributes."""
    tree = lxml_html.fromstring(page)
    for text in tree.xpath("//div[@class='text']"):
        assert not text.xpath(".//script | .//img | .//svg | .//iframe | .//a | .//*[@*[starts-with(name(), 'on')]]")
        text.clear()
    return [(e.tag, tuple(sorted(e.keys()))) for e in tree.iter() if isinstance(e.tag, str)]


@pytest.mark.parametrize("field", FORM_FIELDS)
def test_no_field_of_the_form_breaks_the_page(client, send, field: str) -> None:
    # In front of a text its first heading and paragraph are the same, so the results are alike.
    def fill(value: str) -> dict[str, str]:
        return {"text": PAGE, field: f"{PAGE}\n\n{value}" if field == "text" else value}

    for name, value in HOSTILE.items():
        harmless = send(client, "/", fill(AS_LONG.get(name, HARMLESS)))
        hostile = send(client, "/", fill(value))
        assert hostile.status_code == harmless.status_code, name
        if field != "text" and (field, name) != ("title", "long"):  # on which the suggestions depend
            assert list_elements(hostile.text) == list_elements(harmless.text), name
        tree = lxml_html.fromstring(hostile.text)
        assert {script.get("src", "").partition("?")[0] for script in tree.xpath("//script")} == {
            "/static/editor.js",
            "/static/live.js",
            "/static/report.js",
        }
        assert not tree.xpath("//*[@*[starts-with(name(), 'on')]]"), name
        assert "49" not in tree.xpath("string(//title)")
        if field == "text" and name != "control":
            assert value in tree.xpath("string(//textarea[@id='text'])"), name


def test_other_forms_are_not_broken_either(client, send) -> None:
    for path, page, make in (
        ("/fetch", "/", lambda v: {"url": v}),
        ("/audits", "/audits", lambda v: {"url": v, "max_pages": v}),
        ("/compare", "/compare", lambda v: {"old": PAGE, "new": PAGE, "language": v}),
        ("/compare", "/compare", lambda v: {"old": v, "new": ""}),
    ):
        harmless = send(client, path, make(HARMLESS), page=page)
        for name, value in HOSTILE.items():
            hostile = send(client, path, make(value), page=page)
            assert hostile.status_code == harmless.status_code == 422, (path, name)
            assert list_elements(hostile.text) == list_elements(harmless.text), (path, name)


def test_names_of_files_addresses_and_exported_reports_are_not_broken(client, send) -> None:
    def list_uploaded(value: str):
        file = (value.replace("\x07", ""), PAGE.encode(), "text/plain")
        return list_elements(send(client, "/upload", {}, files={"file": file}).text)

    def list_exported(value: str):
        return list_elements(send(client, "/export", {"text": PAGE, "title": value, "source": value}).text)

    uploaded = list_uploaded(HARMLESS)
    for name, value in HOSTILE.items():
        assert list_uploaded(value) == uploaded, name
        assert list_exported(value) == list_exported(AS_LONG.get(name, HARMLESS)), name
        for path in ("/nothing/", "/sites/", "/static/"):
            found = client.get(path + quote(value, safe="<>\"'"))
            assert not lxml_html.fromstring(found.text).xpath("//script[not(@src)]"), (path, name)


def test_half_characters_and_nul_reach_no_page_unescaped(client) -> None:
    def post(values: dict[str, object]):
        found = client.post("/api/score", content=json.dumps(values), headers={"Content-Type": "application/json"})
        assert found.content.isascii()
        return found

    for value in ("\ud800", "a\x00b", "\udcff\ud800", "\u202e and \u2028 too"):
        found = post({"text": f"# {value}\n\n{PAGE}", "title": value, "with_text": True})
        assert found.status_code == 200, value
        assert value in found.json()["pages"][0]["text"]
        for key in ("language", "edition", "as_of", "url", value):
            assert post({"text": "a", key: value}).status_code == 422, (key, value)
