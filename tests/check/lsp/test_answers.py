"""What the language server answers to a real client: hover, actions and explanations."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest

from steelyard import score
from steelyard.check.run import Checker
from tests.check.lsp.client import COFFEE, CONFIGURATION, Client, Failed, insert, list_rules, make_range


def apply(text: str, edit: dict[str, Any]) -> str:
    """Apply the one insertion of an edit, in lines of LF without astral characters before it."""
    (change,) = edit["documentChanges"]
    (one,) = change["edits"]
    start = one["range"]["start"]
    assert one["range"]["end"] == start
    lines = text.splitlines(keepends=True)
    offset = sum(map(len, lines[: start["line"]])) + start["character"]
    return text[:offset] + str(one["newText"]) + text[offset:]


def test_hover_shows_the_score_on_the_first_line_and_the_formula_at_a_finding(client: Client, tmp_path: Path) -> None:
    (tmp_path / "steelyard.toml").write_text(CONFIGURATION + "min_score = 99\n")
    path = tmp_path / "page.md"
    client.open(path, COFFEE)
    page = Checker({"as_of": "2026-07-01"}).check_text(COFFEE, str(path))

    top = client.hover(path, 0, 0)
    assert top is not None
    assert f"{page.score:.2f} of 100" in top
    assert "Lowest that passes: 99; margin −" in top
    assert "not a forecast of citations" in top
    finding = next(f for f in page.reported if f.rule == "self_containment")
    shown = client.hover(path, finding.line - 1, finding.column)
    assert shown is not None
    assert f"self\\_containment = {page.components['self_containment']['value']:.4f}".replace("\\", "") in shown
    assert f"= {page.components['self_containment']['points']:.4f}" in shown
    assert finding.counted in shown
    assert f"({finding.cost:+.2f} points)" in shown
    blank = COFFEE.split("\n").index("", 1)
    assert client.hover(path, blank, 0) is None
    assert client.hover(path, 10**6, 0) is None


def test_hover_escapes_the_words_of_the_page(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    text = COFFEE + "\n<!-- steelyard: off [x](command:evil)![y](https://a.example/z.png) -->\n"
    client.open(path, text)
    client.diagnostics(path)
    shown = client.hover(path, text.count("\n") - 1, 8)
    assert shown is not None
    assert "unknown component" in shown
    assert "](" not in shown
    assert "\\]\\(command:evil\\)" in shown


def test_ignore_actions_make_the_finding_disappear(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    client.open(path, COFFEE)
    shown = client.diagnostics(path)
    first = next(d for d in shown if d["code"] == "self_containment")
    by_title = {a["title"]: a for a in client.list_actions(path, first["range"], diagnostics=[first])}
    here = by_title["Ignore this self_containment here"]
    assert here["kind"] == "quickfix"
    assert [d["code"] for d in here["diagnostics"]] == ["self_containment"]
    assert here["edit"]["documentChanges"][0]["textDocument"] == {"uri": path.as_uri(), "version": 1}
    silenced = apply(COFFEE, here["edit"])
    assert silenced.count("\n") == COFFEE.count("\n") + 1
    client.change(path, 2, {"text": silenced})
    left = [d["data"]["fingerprint"] for d in client.diagnostics(path, 2)]
    assert left == [d["data"]["fingerprint"] for d in shown if d is not first]
    everywhere = by_title["Ignore self_containment in the whole file"]
    client.change(path, 3, {"text": apply(COFFEE, everywhere["edit"])})
    assert list_rules(client.diagnostics(path, 3)) == [rule for rule in list_rules(shown) if rule != "self_containment"]
    assert client.list_actions(path, first["range"], only=["source.fixAll"]) == []
    assert client.list_actions(path, make_range((0, 0), (999, 0)), only=["quickfix"])


def test_an_action_asked_for_during_an_edit_is_about_the_new_text(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    client.open(path, COFFEE)
    client.diagnostics(path)
    client.change(path, 2, insert(0, 0, "\n\n\n"))
    finding = next(f for f in Checker().check_text(COFFEE, str(path)).reported if f.rule == "self_containment")
    position = (finding.line - 1 + 3, 0)
    here = next(a for a in client.list_actions(path, make_range(position, position)) if a["title"].endswith("here"))
    assert here["edit"]["documentChanges"][0]["textDocument"]["version"] == 2
    assert here["edit"]["documentChanges"][0]["edits"][0]["range"]["start"]["line"] == finding.line - 1 + 3


def test_explain_opens_a_document_that_is_not_checked_itself(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    client.open(path, COFFEE)
    client.diagnostics(path)
    client.explain(path.as_uri(), "cap")
    client.explain(path.as_uri(), "citation_f1")
    uri = client.requested[-1]["params"]["uri"]
    shown = Path(unquote(urlparse(uri).path)).read_text("utf-8")
    assert "citation_f1 = " in shown
    assert "points = weight" in shown
    client.open(Path(unquote(urlparse(uri).path)), shown, "plaintext")
    client.change(path, 2, insert(0, 0, "a"))
    client.diagnostics(path, 2)
    assert uri not in {p["uri"] for p in client.published}
    with pytest.raises(Failed) as failed:
        client.explain("file:///no", "cap")
    assert failed.value.code == -32602


def test_explain_shows_a_message_where_documents_cannot_be_shown(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    (tmp_path / "steelyard.toml").write_text(CONFIGURATION)
    with Client() as client:
        client.initialize()
        client.open(path, COFFEE)
        client.explain(path.as_uri(), "citation_f1")
        client.wait(lambda: bool(client.messages))
        assert client.messages[0].startswith("citation_f1 = ")
        edits = [a["edit"] for a in client.list_actions(path, make_range((0, 0), (99, 0))) if "edit" in a]
        assert edits
        assert all(list(edit["changes"]) == [path.as_uri()] for edit in edits)  # it has no versions


def test_the_score_is_told_to_a_status_bar(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    client.open(path, COFFEE)
    told = client.execute("steelyard.score", path.as_uri())
    assert f"**Score {told['score']:.2f} of 100**" in str(client.hover(path, 0, 0))
    assert told["edition"] == "paper"
    assert told["scope"] == "text quality, not a forecast of citations"
    assert told["findings"] == len(client.diagnostics(path))
    assert client.execute("steelyard.score", "file:///closed.md") is None


def test_a_line_is_explained_with_what_is_found_and_what_is_counted_on_it(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    text = COFFEE + "\nIn 2024, 38% of 412 cups were served too cold.\n"
    client.open(path, text)
    evidence = score(text).readings["statistic_density"].evidence[-1]
    found = client.diagnostics(path)[-1]
    for line, words in (
        (evidence.line, f"statistic_density: “{text[evidence.start : evidence.end]}” ({evidence.pattern})"),
        (found["range"]["start"]["line"] + 1, " ".join(f"{found['code']}: {found['message'].splitlines()[0]}".split())),
        (10**9, "nothing to improve was found"),
    ):
        client.execute("steelyard.line", path.as_uri(), line)
        uri = client.requested[-1]["params"]["uri"]
        shown = Path(unquote(urlparse(uri).path)).read_text("utf-8")
        assert shown.startswith(f"line {line}: ")
        assert words in " ".join(shown.split()), line
    with pytest.raises(Failed):
        client.execute("steelyard.line", path.as_uri(), "one")


def test_options_of_the_server_go_before_the_configuration(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    (tmp_path / "steelyard.toml").write_text('edition = "2026"\nmin_score = 10\n')
    with Client(options=["--edition", "paper", "--min-score", "99", "--language", "en", "--kind", "opinion"]) as client:
        client.initialize()
        client.open(path, COFFEE)
        told = client.execute("steelyard.score", path.as_uri())
    assert told["edition"] == "paper"
    assert "is below 99" in told["failures"][0]
    with Client(options=["--edition", "1999"]) as client:
        assert client.process.wait(60) != 0
