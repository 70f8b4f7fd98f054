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
FORM_FIELDS = ("text", "title", "language", "edition", "as_of", "address", "source")


def list_elements(page: str) -> list[tuple[str, tuple[str, ...]]]:
    """Every element outside the page's own text, with the names of its attributes."""
    tree = lxml_html.fromstring(page)
    for text in tree.xpath("//div[@class='text']"):
        assert not text.xpath(".//script | .//img | .//svg | .//iframe | .//a | .//*[@*[starts-with(name(), 'on')]]")
        text.clear()
    return [(e.tag, tuple(sorted(e.keys()))) for e in tree.iter() if isinstance(e.tag, str)]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("field", FORM_FIELDS)
def test_no_field_of_the_form_breaks_the_page(client, send, field: str, name: str) -> None:
    # In front of a text its first heading and paragraph are the same, so the results are alike.
    def fill(value: str) -> dict[str, str]:
        return {"text": PAGE, field: f"{PAGE}\n\n{value}" if field == "text" else value}

    hostile, harmless = send(client, "/", fill(HOSTILE[name])), send(client, "/", fill(HARMLESS))
    assert hostile.status_code == harmless.status_code
    if field != "text":  # the number of suggestions depends on the text
        assert list_elements(hostile.text) == list_elements(harmless.text)
    tree = lxml_html.fromstring(hostile.text)
    assert {script.get("src", "").partition("?")[0] for script in tree.xpath("//script")} == {"/static/live.js"}
    assert not tree.xpath("//*[@*[starts-with(name(), 'on')]]")
    assert "49" not in tree.xpath("string(//title)")
    shown = tree.xpath("string(//textarea[@id='text'])")
    if field == "text" and name != "control":
        assert HOSTILE[name] in shown


@pytest.mark.parametrize("name", HOSTILE)
def test_other_forms_are_not_broken_either(client, send, name: str) -> None:
    value = HOSTILE[name]
    for path, page, make in (
        ("/fetch", "/", lambda v: {"url": v}),
        ("/audits", "/audits", lambda v: {"url": v, "max_pages": v}),
        ("/compare", "/compare", lambda v: {"old": PAGE, "new": PAGE, "language": v}),
        ("/compare", "/compare", lambda v: {"old": v, "new": ""}),
    ):
        hostile, harmless = (send(client, path, make(v), page=page) for v in (value, HARMLESS))
        assert hostile.status_code == harmless.status_code == 422
        assert list_elements(hostile.text) == list_elements(harmless.text), path


@pytest.mark.parametrize("name", HOSTILE)
def test_the_name_of_a_file_and_addresses_are_not_obeyed(client, send, name: str) -> None:
    def upload(value: str):
        return send(client, "/upload", {}, files={"file": (value.replace("\x07", ""), PAGE.encode(), "text/plain")})

    assert list_elements(upload(HOSTILE[name]).text) == list_elements(upload(HARMLESS).text)
    for path in ("/nothing/", "/sites/", "/static/"):
        found = client.get(path + quote(HOSTILE[name], safe="<>\"'"))
        assert not lxml_html.fromstring(found.text).xpath("//script[not(@src)]")


@pytest.mark.parametrize("name", HOSTILE)
def test_an_exported_report_is_not_broken(client, send, name: str) -> None:
    hostile = send(client, "/export", {"text": PAGE, "title": HOSTILE[name], "source": HOSTILE[name]})
    harmless = send(client, "/export", {"text": PAGE, "title": HARMLESS, "source": HARMLESS})
    assert list_elements(hostile.text) == list_elements(harmless.text)


@pytest.mark.parametrize("value", ["\ud800", "a\x00b", "\udcff\ud800"])
def test_half_characters_and_nul_reach_no_page_unescaped(client, value: str) -> None:
    body = json.dumps({"text": f"# {value}\n\n{PAGE}", "title": value, "with_text": True})
    found = client.post("/api/score", content=body, headers={"Content-Type": "application/json"})
    assert found.status_code == 200
    assert found.content.isascii()
    assert value in found.json()["pages"][0]["text"]
    for key in ("language", "edition", "as_of", "url", value):
        body = json.dumps({"text": "a", key: value})
        found = client.post("/api/score", content=body, headers={"Content-Type": "application/json"})
        assert found.status_code == 422
        assert found.content.isascii()
