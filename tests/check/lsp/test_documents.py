"""The language server and the documents of a real client: synchronisation, diagnostics, configuration."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from steelyard.check.run import Checker
from steelyard.configuration.file import forget_files
from tests.check.lsp.client import COFFEE, CONFIGURATION, Client, cut_units, insert, list_rules, replace

VAGUE = "The sale of printed tables has increased dramatically. "


def test_it_says_what_it_can_do(tmp_path: Path) -> None:
    with Client({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}) as client:
        able = client.initialize(tmp_path)
        assert able["positionEncoding"] == "utf-16"
        assert able["textDocumentSync"]["change"] == 2
        assert able["textDocumentSync"]["openClose"] is True
        assert able["textDocumentSync"]["save"]
        assert able["executeCommandProvider"]["commands"] == ["steelyard.explain", "steelyard.line", "steelyard.score"]
        client.wait(lambda: bool(client.requested))
        (registration,) = client.requested[0]["params"]["registrations"]
        globs = [watcher["globPattern"] for watcher in registration["registerOptions"]["watchers"]]
        assert "**/steelyard.toml" in globs
        assert "**/.steelyardignore" in globs
        assert client.shut_down() == 0


@pytest.mark.parametrize("suffix", ["md", "html"])
def test_the_findings_are_those_of_a_check_of_the_file(client: Client, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"page.{suffix}"
    text = COFFEE + "\n" + VAGUE + "😀 They say that most guests never notice.\n"
    if suffix == "html":
        paragraphs = "\n".join(f"<p>{block}</p>" for block in text.split("\n\n"))
        text = f"<html><body><article>\n{paragraphs}\n</article></body></html>\n"
    path.write_bytes(text.encode())
    client.open(path, text, "html" if suffix == "html" else "markdown")
    shown = client.diagnostics(path)
    forget_files()
    run, _ = Checker({"as_of": "2026-07-01"}).run([str(path)])
    (page,) = run.pages
    assert len(page.reported) >= 5
    found = [
        (d["code"], d["data"]["rule"], d["data"]["fingerprint"], cut_units(text, d["range"], "utf-16")) for d in shown
    ]
    assert found == [(f.rule, f.rule, f.fingerprint, text[f.start : f.end]) for f in page.reported]
    severities = {"error": 1, "warning": 2, "note": 3}
    assert [d["severity"] for d in shown] == [severities[f.level] for f in page.reported]
    for diagnostic, finding in zip(shown, page.reported, strict=True):
        assert diagnostic["source"] == "steelyard"
        assert diagnostic["message"].startswith(finding.text)
        assert finding.counted in diagnostic["message"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_ranges_are_in_the_units_that_the_client_offers(tmp_path: Path, encoding: str) -> None:
    with Client({"general": {"positionEncodings": [encoding, "utf-16"]}}) as client:
        assert client.initialize()["positionEncoding"] == encoding
        for number, end in enumerate(("\n", "\r\n", "\r")):
            path = tmp_path / f"{number}.md"
            text = (COFFEE + f"\n😀😀 größer 漢字 {VAGUE}\n").replace("\n", end)
            client.open(path, text)
            found = client.diagnostics(path)
            if end != "\r":  # a page without LF is one paragraph for the scorer
                vague = next(d for d in found if d["code"] == "statistic_density")
                assert cut_units(text, vague["range"], encoding).endswith(VAGUE.strip(". "))
            page = Checker({"as_of": "2026-07-01"}).check_text(text, str(path))
            expected = [text[f.start : f.end].rstrip("\r") for f in page.reported]
            assert [cut_units(text, d["range"], encoding) for d in found] == expected, end
        assert client.shut_down() == 0


def test_edits_are_applied_one_after_the_other_and_the_last_text_wins(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    text = COFFEE
    client.open(path, text)
    assert "statistic_density" not in list_rules(client.diagnostics(path))
    last = text.count("\n")
    for version, word in enumerate(VAGUE.split(), start=2):  # as typed
        client.change(path, version, insert(last, 0, "😀 ") if version == 2 else insert(last, 0, ""))
        column = 3 + len(" ".join(VAGUE.split()[: version - 2])) + (version > 2)
        client.change(path, version, insert(last, column - (version > 2), (" " if version > 2 else "") + word))
    version = 1 + len(VAGUE.split())
    found = client.diagnostics(path, version)
    vague = next(d for d in found if d["code"] == "statistic_density")
    typed = text + "😀 " + VAGUE.strip()
    assert cut_units(typed, vague["range"], "utf-16").endswith(VAGUE.strip(". "))
    client.change(path, version + 1, replace((last, 0), (last, 999), ""))
    assert "statistic_density" not in list_rules(client.diagnostics(path, version + 1))
    client.change(path, version + 2, {"text": "Tables stay on the shelf."})  # the whole text
    assert "statistic_density" not in list_rules(client.diagnostics(path, version + 2))


def test_results_of_an_older_version_are_never_published(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    client.open(path, COFFEE * 30)
    client.diagnostics(path)
    for version in (2, 4, 6):
        client.change(path, version, insert(0, 0, "x"))
        client.listen(0.2)  # its check is under way
        client.change(path, version + 1, insert(0, 0, "y"))
        unknown = {"textDocument": {"uri": "file:///unknown.md"}, "position": {"line": 0, "character": 0}}
        client.request("textDocument/hover", unknown)  # once this is answered, the edit has arrived
        seen = len(client.published)
        client.diagnostics(path, version + 1)
        assert [p["version"] for p in client.published[seen:]] == [version + 1]


def test_quick_edits_are_not_checked_one_by_one(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    client.open(path, COFFEE)
    for version in range(2, 30):
        client.change(path, version, insert(0, 0, "x"))
        time.sleep(0.01)
    client.diagnostics(path, 29)
    assert len([p for p in client.published if p["uri"] == path.as_uri()]) < 15


def test_a_closed_document_has_no_diagnostics_left(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    client.open(path, COFFEE)
    assert client.diagnostics(path)
    client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
    client.wait(lambda: client.published[-1] == {"uri": path.as_uri(), "diagnostics": []})


def test_the_configuration_decides_and_its_changes_take_effect(client: Client, tmp_path: Path) -> None:
    path, config = tmp_path / "page.md", tmp_path / "steelyard.toml"
    client.open(path, COFFEE)
    assert "entity_density" in list_rules(client.diagnostics(path))
    config.write_text(CONFIGURATION + '[components]\nentity_density = "off"\nself_containment = "error"\n')
    client.published.clear()
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": config.as_uri(), "type": 1}]})
    found = client.diagnostics(path)
    assert "entity_density" not in list_rules(found)
    assert {d["severity"] for d in found if d["code"] == "self_containment"} == {1}
    (tmp_path / ".steelyardignore").write_text("page.md\n")
    client.published.clear()
    client.notify("textDocument/didSave", {"textDocument": {"uri": (tmp_path / ".steelyardignore").as_uri()}})
    assert client.diagnostics(path) == []


def test_a_wrong_configuration_is_shown_on_the_page_and_in_its_file(client: Client, tmp_path: Path) -> None:
    path, config = tmp_path / "page.md", tmp_path / "steelyard.toml"
    config.write_text("min_score = 70\nedition = \n")
    client.open(path, COFFEE)
    (found,) = client.diagnostics(path)
    assert (found["code"], found["severity"]) == ("configuration", 1)
    assert found["range"]["start"] == {"line": 0, "character": 0}
    assert "steelyard.toml" in found["message"]
    assert "line 2" in found["message"]
    client.open(config, config.read_text(), "toml")
    (inside,) = client.diagnostics(config)
    assert inside["range"]["start"]["line"] == 1
    assert inside["message"] == found["message"]
    config.write_text("min_score = 70\n")
    client.published.clear()
    client.notify("textDocument/didSave", {"textDocument": {"uri": config.as_uri()}})
    assert client.diagnostics(config) == []
    assert "configuration" not in list_rules(client.diagnostics(path))


def test_other_languages_addresses_and_project_files_are_left_alone(client: Client, tmp_path: Path) -> None:
    project, path = tmp_path / "pyproject.toml", tmp_path / "page.md"
    project.write_text("[project]\nname = 'a'\n")
    client.open(project, project.read_text(), "toml")
    assert client.diagnostics(project) == []
    client.open(tmp_path / "a.py", "x = 1", "python")
    item = {"uri": "untitled:Untitled-1", "languageId": "markdown", "version": 1, "text": COFFEE}
    client.notify("textDocument/didOpen", {"textDocument": item})
    client.open(path, COFFEE)
    client.diagnostics(path)
    assert not {p["uri"] for p in client.published} & {(tmp_path / "a.py").as_uri(), "untitled:Untitled-1"}


def test_a_page_that_cannot_be_scored_has_one_error_on_its_first_line(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    text = "Η γλώσσα αυτή δεν υποστηρίζεται από κανένα λεξικό του προγράμματος, και αυτό λέγεται εδώ.\n\n" * 20
    client.open(path, text)
    (found,) = client.diagnostics(path)
    assert (found["code"], found["severity"], found["range"]["start"]["line"]) == ("page", 1, 0)
    assert found["message"]
    client.change(path, 2, {"text": COFFEE})
    assert len(client.diagnostics(path, 2)) > 3
