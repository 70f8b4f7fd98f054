"""The tools for assistants, called directly: arguments, results, and the same findings as `steelyard check`."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from steelyard.check.mcp.manual import MANUAL
from steelyard.check.mcp.roots import MAX_PAGE, Roots
from steelyard.check.mcp.tools import BY_NAME, TOOLS, base
from steelyard.check.mcp.tools.base import MAX_LISTED, ToolResult
from steelyard.check.run import Checker
from steelyard.check.use import USE
from steelyard.errors import SteelyardError
from steelyard.pages.descriptions import SCOPE

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
BARREL = (EXAMPLES / "tutorial" / "barrel.md").read_text("utf-8")
STUFFED = (EXAMPLES / "tutorial" / "barrel-stuffed.md").read_text("utf-8")
AS_OF = "2026-07-01"
ONE_PAGE = ("score", "explain", "check_manipulation")
HOSTILE = "\x1b[31mred\u202eback\u200bzero\U000e0041tag"


def call(tool: str, root: Path = EXAMPLES, /, **arguments: Any) -> ToolResult:
    return BY_NAME[tool].answer(arguments, Roots([str(root)]))


# What every tool does


def test_every_result_is_json_with_all_fields_of_its_schema_and_the_scope_note() -> None:
    page = {"path": "tutorial/barrel.md"}
    results = {
        **{name: call(name, as_of=AS_OF, **page) for name in ONE_PAGE},
        "compare": call("compare", old=page, new={"text": STUFFED}, as_of=AS_OF),
        "predict": call("predict", query="how to raise a rain barrel", pages=[page, STUFFED], as_of=AS_OF),
    }
    assert results.keys() == BY_NAME.keys()
    for name, result in results.items():
        assert set(json.loads(json.dumps(result.data, allow_nan=False))) == set(BY_NAME[name].outputs["properties"])
        assert SCOPE in result.data["scope"], name
        assert any(SCOPE in line for line in result.lines), name


def test_a_path_and_its_text_have_the_same_result() -> None:
    for name in ONE_PAGE:
        of_path, of_text = call(name, path="tutorial/barrel.md", as_of=AS_OF), call(name, text=BARREL, as_of=AS_OF)
        assert of_path.data.pop("source") == "tutorial/barrel.md"
        assert of_text.data.pop("source") == "text"
        assert of_path.data == of_text.data


def test_page_text_is_shown_and_never_obeyed() -> None:
    text = f"# {HOSTILE}\n\n" + f'"It is a {HOSTILE} of 5 km", said Ann Lee in 2024. It was {HOSTILE}. ' * 30
    for name in ONE_PAGE:
        answer = call(name, text=text, title=HOSTILE, as_of=AS_OF)
        shown = json.dumps(answer.data, ensure_ascii=False) + "".join(answer.lines)
        assert "␛[31mred⟨U+202E⟩back" in shown or name == "check_manipulation"
        assert not any(character in shown for character in "\x1b\u202e\u200b\U000e0041\n")
    answer = call("compare", old="A page.", new=text)
    assert not any(c in json.dumps(answer.data, ensure_ascii=False) for c in "\x1b\u202e\u200b\U000e0041")


# Score


@pytest.mark.parametrize(
    "configuration",
    [
        "",
        'edition = "2026"\ndetect = true\nmin_score = 90\n',
        '[components]\nentity_density = "error"\nquotable_density = "off"\n',
        '[[overrides]]\nfiles = ["*.md"]\nedition = "2026"\n',
    ],
)
def test_findings_and_failures_are_those_of_the_checker(tmp_path: Path, configuration: str) -> None:
    (tmp_path / "steelyard.toml").write_text(f'as_of = "{AS_OF}"\n' + configuration)
    for text in (BARREL, STUFFED, f"<!-- steelyard: off entity_density -->\n\n{BARREL}", "short"):
        (tmp_path / "page.md").write_text(text, "utf-8")
        checked = Checker().check_text(text, str(tmp_path / "page.md"))
        for answer in (call("score", tmp_path, path="page.md"), call("score", tmp_path, text=text)):
            data = answer.data
            assert data["score"] == checked.score
            assert data["edition"] == checked.edition
            assert data["failures"] == list(checked.failures)
            assert data["findings_total"] == len(checked.reported)
            keys = ("rule", "level", "start", "end", "line", "column", "end_line", "end_column", "fingerprint", "cost")
            assert [[f[key] for key in keys] for f in data["findings"]] == [
                [getattr(f, key) for key in keys] for f in checked.reported
            ]


def test_findings_of_html_are_on_the_lines_of_the_html(tmp_path: Path) -> None:
    paragraphs = [part for part in BARREL.split("\n\n") if not part.startswith("#")]
    claim = "Studies show that most gardeners water their beds far too often in a wet summer."
    body = "".join(f"\n<p>{part}</p>\n" for part in [*paragraphs, claim])
    html = f"<html><head><title>Barrel</title></head><body><article><h1>Barrel</h1>{body}</article></body></html>"
    (tmp_path / "page.html").write_text(html)
    (tmp_path / "steelyard.toml").write_text("uncertain = true")
    checked = Checker(as_of=date(2026, 7, 1)).check_text(html, str(tmp_path / "page.html"))
    data = call("score", tmp_path, path="page.html", as_of=AS_OF).data
    assert [f["fingerprint"] for f in data["findings"]] == [f.fingerprint for f in checked.reported]
    quoted = [f for f in data["findings"] if f["quote"]]
    assert quoted
    for found in quoted:
        beginning = found["quote"][:20]
        assert html[found["start"] : found["end"]].startswith(beginning), found["rule"]
    assert call("explain", tmp_path, path="page.html").data["offsets"] == "extracted"


def test_a_changed_configuration_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(BARREL)
    assert call("score", tmp_path, path="page.md").data["edition"] == "paper"
    (tmp_path / "steelyard.toml").write_text('edition = "2026"')
    assert call("score", tmp_path, path="page.md").data["edition"] == "2026"


def test_a_call_chooses_edition_language_date_and_title() -> None:
    plain = call("score", text=BARREL, as_of=AS_OF).data
    assert call("score", text=BARREL, edition="2026", as_of=AS_OF).data["edition"] == "2026"
    assert call("score", text=BARREL, language="fr", as_of=AS_OF).data["language"] == "fr"
    assert call("score", text=BARREL, as_of="2020-02-29").data["as_of"] == "2020-02-29"
    titled = call("score", text=BARREL, title="Submarine telegraph cables", as_of=AS_OF).data
    assert titled["title"] == "Submarine telegraph cables"
    coherence = "semantic_coherence"
    assert titled["components"][coherence]["value"] < plain["components"][coherence]["value"]


def test_an_absent_argument_and_null_are_the_same() -> None:
    given = call("score", text=BARREL, path=None, language=None, edition=None, as_of=AS_OF, title=None)
    assert given.data == call("score", text=BARREL, as_of=AS_OF).data


def test_text_that_looks_like_json_is_a_text() -> None:
    for text in ("null", '["a", "b"]', '{"path": "tutorial/barrel.md"}', "12"):
        assert call("score", text=text).data["guard"] == "near-empty"


def test_too_many_findings_are_cut_to_those_that_weigh_most(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = [f"The {noun} has increased dramatically since then." for noun in ("traffic", "rent", "tax", "debt")]
    text = f"{BARREL}\n\n" + "\n\n".join(measured)
    every = call("score", text=text, as_of=AS_OF)
    monkeypatch.setattr(base, "MAX_LISTED", 3)
    monkeypatch.setattr(base, "MAX_SHOWN", 2)
    cut = call("score", text=text, as_of=AS_OF)
    assert cut.data["findings_total"] == every.data["findings_total"] == len(every.data["findings"]) > 3
    assert len(cut.data["findings"]) == 3
    assert [f for f in every.data["findings"] if f in cut.data["findings"]] == cut.data["findings"]
    assert max(every.data["findings"], key=lambda f: f["cost"])["rule"] in {f["rule"] for f in cut.data["findings"]}
    assert cut.lines[-1] == f"  … and {every.data['findings_total'] - 2} that weigh less"


# Explain


def test_an_explanation_adds_up_and_quotes_what_was_counted() -> None:
    text = (EXAMPLES / "tutorial" / "barrel-improved.md").read_text("utf-8")
    data = call("explain", text=text, as_of=AS_OF).data
    assert sum(c["points"] for c in data["components"].values()) == pytest.approx(data["content"])
    assert data["blended"] == pytest.approx(data["score"])
    (figure,) = data["components"]["statistic_density"]["evidence"]
    assert (figure["quote"], text[figure["start"] : figure["end"]]) == ("31%", "31%")


def test_an_explanation_of_a_page_full_of_evidence_stays_small() -> None:
    text = " ".join(f"In {1900 + i % 100} it rose by {i}%." for i in range(3_000))
    answer = call("explain", text=text, as_of=AS_OF)
    statistics = answer.data["components"]["statistic_density"]
    assert statistics["evidence_total"] > MAX_LISTED == len(statistics["evidence"])
    assert len(json.dumps(answer.data)) < 200_000


# Compare


def test_a_comparison_takes_objects_and_texts() -> None:
    new = EXAMPLES / "tutorial" / "barrel-improved.md"
    forms = [
        ({"path": "tutorial/barrel.md"}, {"path": str(new)}),
        ({"text": BARREL}, {"text": new.read_text("utf-8")}),
        (BARREL, new.read_text("utf-8")),
    ]
    changes = [call("compare", old=old, new=new, as_of=AS_OF).data for old, new in forms]
    assert len({data["change"] for data in changes}) == 1
    assert changes[0]["change"] > 10
    assert [piece["text"] for piece in changes[0]["components"]["statistic_density"]["gained"]] == ["31%"]
    assert (changes[0]["old"], changes[1]["old"]) == ("tutorial/barrel.md", "old")


def test_both_versions_have_the_settings_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "steelyard.toml").write_text('edition = "2026"')
    (tmp_path / "docs" / "page.md").write_text(BARREL)
    page = {"path": "docs/page.md"}
    assert call("compare", tmp_path, old=page, new=STUFFED).data["scoring"]["edition"] == "2026"
    assert call("compare", tmp_path, old=STUFFED, new=page).data["scoring"]["edition"] == "2026"
    assert call("compare", tmp_path, old=BARREL, new=STUFFED).data["scoring"]["edition"] == "paper"


# Manipulation


def test_manipulation_is_flagged_with_its_places() -> None:
    flagged = call("check_manipulation", text=STUFFED, as_of=AS_OF).data
    assert flagged["flagged"]
    assert {f["rule"] for f in flagged["findings"]} == {"manipulation"}
    assert any("rain barrel" in STUFFED[f["start"] : f["end"]].lower() for f in flagged["findings"])
    clean = call("check_manipulation", text=BARREL, as_of=AS_OF).data
    assert not clean["flagged"]
    assert clean["findings"] == []
    assert 0 < clean["false_positive_rate"] < 0.1


# Predict


def test_pages_are_ranked_and_one_that_cannot_be_read_loses_no_other() -> None:
    pages = [{"text": "Ice closes the bay in January."}, {"path": "tutorial/barrel.md"}, {"path": "../pyproject.toml"}]
    data = call("predict", query="rain barrel for a garden", pages=pages, as_of=AS_OF).data
    assert [page["source"] for page in data["pages"]] == ["tutorial/barrel.md", "page 1"]
    assert [error["source"] for error in data["errors"]] == ["page 3"]
    assert data["pages"][0]["for"]


# Arguments that are wrong


EITHER = "give `text` or `path`, exactly one of them"
# A tool, its arguments, and words of the refusal.
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    *((tool, arguments, words) for tool in ONE_PAGE for arguments, words in (
        ({"text": "a", "path": "tutorial/barrel.md"}, EITHER),
        ({}, EITHER),
        ({"text": ["a"]}, "text is a list; write a string"),
        ({"path": 7}, "path is 7; write a string"),
        ({"text": "a" * (MAX_PAGE + 1)}, "over the limit"),
        ({"path": "../README.md"}, "outside the allowed folders"),
    )),
    ("compare", {"new": "a"}, "old is missing; write an object with text, path, or a string"),
    ("compare", {"old": None, "new": "a"}, "old is missing; write an object with text, path, or a string"),
    ("compare", {"old": "a", "new": {}}, "new: give `text` or `path`"),
    ("compare", {"old": ["a"], "new": "a"}, "old is a list; write an object"),
    ("compare", {"old": {"file": "a"}, "new": "a"}, "unknown key 'file'"),
    ("compare", {"old": "tutorial/barrel.md", "new": "a"}, "give it as `path`"),
    ("predict", {"query": "barrel", "pages": [{"path": "none.md"}]}, "no page could be read"),
    ("predict", {"query": "barrel", "pages": []}, "1 to 50 entries"),
    ("predict", {"query": "barrel", "pages": ["a"] * 51}, "1 to 50 entries"),
    ("predict", {"query": "a", "pages": "a.md"}, "1 to 50 entries, each entry an object with text, path, or a string"),
    ("predict", {"query": " ", "pages": ["a"]}, "query"),
    ("predict", {"query": "barrel", "pages": ["a" * MAX_PAGE] * 6}, "together"),
    ("score", {"paht": "a"}, "did you mean 'path'"),
    ("score", {"text": "a", "edition": "2027"}, "did you mean '2026'? (known: paper, 2026)"),
    ("score", {"text": "a", "language": "xx"}, "language is 'xx'; write one of auto, en"),
    ("score", {"text": "a", "as_of": "yesterday"}, "write a date such as"),
    ("score", {"text": "a", "as_of": "1" * 1_000_000}, "write a date such as"),
    ("score", {"text": "a", "title": "a" * 2_001}, "title has 2,001 characters; write at most 2,000"),
    ("score", {"x" * 1_000_000: 1}, "unknown key"),
]  # fmt: skip


def test_wrong_arguments_are_refused_in_words_of_bounded_length() -> None:
    for tool, arguments, words in REFUSED:
        with pytest.raises(SteelyardError) as refused:
            call(tool, **arguments)
        assert words in str(refused.value), (tool, words)
        assert len(str(refused.value)) < 500, (tool, words)


def test_a_wrong_configuration_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "steelyard.toml").write_text("editoin = 1")
    with pytest.raises(SteelyardError, match="editoin"):
        call("score", tmp_path, text=BARREL)


# Schemas and the manual


def test_no_schema_has_alternatives_at_its_top_and_every_argument_is_described() -> None:
    for tool in TOOLS:
        assert tool.inputs["type"] == tool.outputs["type"] == "object"
        assert not {"oneOf", "anyOf", "allOf"} & tool.inputs.keys()
        assert all("description" in argument for argument in tool.inputs["properties"].values())
        assert tool.inputs["additionalProperties"] is False


def test_the_manual_is_made_from_the_code() -> None:
    written = {page.name: page.write() for page in MANUAL}
    for name, words in {
        "use": USE[0],
        "score": "shannon_entropy",
        "findings": "`manipulation`",
        "editions": "de, es",
    }.items():
        assert words in written[name]
    assert sum(map(len, written.values())) < 20_000
