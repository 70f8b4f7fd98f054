"""The JSON API: the documents of the command line, and errors that say what to do."""

from __future__ import annotations

import json

import jsonschema

from steelyard.pages import json_document
from steelyard.web import openapi, schemas
from tests.conftest import ROOT
from tests.pages.test_reading import DOUBTFUL, FAILED
from tests.web.conftest import PAGE


def test_a_score_is_the_document_of_the_command_line(client, run, tmp_path) -> None:
    path = tmp_path / "text"
    path.write_text(PAGE)
    done = run("score", str(path), "--format", "json", "--with-text")
    expected = json.loads(done.stdout.replace(str(path), "text"))
    found = client.post("/api/score", json={"text": PAGE, "as_of": "2026-07-01", "with_text": True})
    assert found.status_code == 200
    assert found.json() == expected
    jsonschema.validate(found.json(), json.loads((ROOT / "docs" / "schema" / "score.schema.json").read_text("utf-8")))


def test_choices_reach_the_score(client) -> None:
    body = {
        "html": f"<h1>Tides</h1><p>{PAGE}</p>",
        "title": "T",
        "language": "fr",
        "edition": "2026",
        "evidence": False,
    }
    found = client.post("/api/score", json=body).json()
    page = found["pages"][0]
    assert (page["title"], page["language"], page["edition"], page["offsets"]) == ("T", "fr", "2026", "extracted")
    assert "evidence" not in page["components"]["citation_f1"]
    assert "text" not in page


def test_a_wrong_request_is_explained(client) -> None:
    for body, status, message in (
        ("{", 400, "not JSON"),
        ("[" * 100_000, 400, "not JSON"),
        (b"\xff\xfe", 400, "not JSON"),
        ("[]", 422, "this is a list; write an object with text, html"),
        ("{}", 422, "exactly one of text, html, url"),
        ('{"text": "a", "html": "b"}', 422, "exactly one of text, html, url"),
        ('{"text": "a", "colour": 1}', 422, "unknown key 'colour' (known: text, html"),
        ('{"text": "a", "detect": "yes"}', 422, "detect is 'yes'; write true or false"),
        ('{"text": "a", "as_of": "2026-02-30"}', 422, "write a date such as"),
        ('{"url": "file:///etc/passwd"}', 422, "write an address that begins with http"),
        ('{"url": "http://user:word@example.org/"}', 422, "user name or password"),
    ):
        found = client.post("/api/score", content=body, headers={"Content-Type": "application/json"})
        assert found.status_code == status, body
        assert list(found.json()) == ["error"]
        assert message in found.json()["error"], body


def test_only_json_is_taken_which_no_form_can_send(client) -> None:
    for kind in (None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        headers = {"Content-Type": kind} if kind else {}
        assert client.post("/api/score", content=b'{"text": "a"}', headers=headers).status_code == 415, kind


def test_two_versions_are_compared(client) -> None:
    new = PAGE + "\n\nIn 2025 it grew by 30%."
    found = client.post("/api/compare", json={"old": {"text": PAGE}, "new": {"text": new}, "as_of": "2026-07-01"})
    assert found.status_code == 200
    jsonschema.validate(found.json(), schemas.COMPARISON)
    assert found.json()["scoring"]["as_of"] == "2026-07-01"
    assert any("30" in piece["text"] for piece in found.json()["components"]["statistic_density"]["gained"])
    wrong = client.post("/api/compare", json={"old": {"text": PAGE}, "new": {"txt": new}})
    assert (wrong.status_code, wrong.json()["error"].split(" (")[0]) == (
        422,
        "new: unknown key 'txt'; did you mean 'text'?",
    )
    assert client.post("/api/compare", json={"old": {"text": PAGE}}).status_code == 422


def test_the_description_is_openapi_and_names_every_field_and_status(client) -> None:
    document = client.get("/api/openapi.json").json()
    described = document["components"]["schemas"]
    for name, schema in schemas.REQUESTS.items():
        assert list(described[name]["properties"]) == list(schema["properties"])
        assert described[name]["additionalProperties"] is False
    assert described["CompareRequest"]["properties"]["old"] == {"$ref": "#/components/schemas/Version"}
    answer = document["paths"]["/api/score"]["post"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert answer == json.loads(json.dumps(json_document.SCHEMA))
    for path, operations in document["paths"].items():
        for operation in operations.values():
            assert {"403", "421", "429", "503"} <= set(operation["responses"]), path


def test_the_page_about_the_api_documents_every_operation(client) -> None:
    text = client.get("/api").text
    for operation in openapi.OPERATIONS:
        assert f"{operation.method} {operation.path}" in text
        assert all(f"<code>{name}</code>" in text for name in operation.properties)


def test_a_number_that_is_none_is_refused(client) -> None:
    for number in ("1e400", "NaN", "-1e400", "2.5", "true", "0"):
        body = f'{{"url": "http://example.org/", "max_pages": {number}}}'
        answer = client.post("/api/audits", content=body, headers={"Content-Type": "application/json"})
        assert (answer.status_code in (400, 422), list(answer.json())) == (True, ["error"]), number


def test_an_audit_that_no_number_can_name_is_not_found(client) -> None:
    for path in ("/api/audits/", "/sites/example.org/audits/"):
        assert client.get(path + "9" * 5_000).status_code == 404
        assert client.get(path + "9" * 18).status_code == 404


def test_how_well_html_was_read_is_said_and_a_selector_names_the_main_part(client) -> None:
    doubtful = {"html": DOUBTFUL, "as_of": "2026-07-01"}
    page = client.post("/api/score", json=doubtful).json()["pages"][0]
    assert page["reading"]["confidence"] == "doubtful"
    found = client.post("/api/score", json={**doubtful, "html": FAILED})
    assert (found.status_code, found.json()["reason"]) == (422, "reading")
    jsonschema.validate(found.json(), schemas.ERROR)
    chosen = client.post("/api/score", json={**doubtful, "html": FAILED, "selector": "main > h1"}).json()
    assert chosen["pages"][0]["reading"]["confidence"] == "good"
    assert client.post("/api/score", json={**doubtful, "selector": "p:has("}).status_code == 422
