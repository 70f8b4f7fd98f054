"""The comments that the editor offers: they silence the finding, change no score, and break no page."""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard.check.lsp.silencing import Insertion, silence_block, silence_file
from steelyard.check.result import CheckedFinding
from steelyard.check.run import Checker
from steelyard.text.positions import Lines

SITE = Path(__file__).resolve().parents[3] / "examples" / "site"
GEARS = (SITE / "guides" / "bicycle-gears-faq.md").read_text("utf-8")
TIDES = (SITE / "guides" / "reading-tide-tables.md").read_text("utf-8")
PAGES = {"no front matter": GEARS, "front matter": TIDES, "crlf": TIDES.replace("\n", "\r\n")}


def insert(text: str, insertion: Insertion) -> str:
    return text[: insertion.offset] + insertion.text + text[insertion.offset :]


def make_finding(text: str, words: str, rule: str = "statistic_density") -> CheckedFinding:
    start = text.index(words)
    location = Lines(text).locate(start, start + len(words))
    return CheckedFinding(rule=rule, why="", quote=words, fingerprint="", **location._asdict())


def to_html(text: str) -> str:
    blocks = [block for block in text.split("\n\n") if not block.startswith(("---", "|"))]
    body = "\n".join(f"  <p>{block}</p>" for block in blocks)
    head = "<!DOCTYPE html>\n<html><head><title>Gears</title></head>\n<body>\n<article>\n"
    return f"{head}{body}\n</article>\n</body></html>\n"


@pytest.mark.parametrize("edition", ["paper", "2026"])
@pytest.mark.parametrize("name", [*PAGES, "html"])
def test_each_finding_disappears_with_its_comment_and_the_score_stays(name: str, edition: str, tmp_path: Path) -> None:
    text = to_html(GEARS) if name == "html" else PAGES[name]
    path = str(tmp_path / ("page.html" if name == "html" else "page.md"))
    checker = Checker({"edition": edition, "as_of": "2026-07-01"})
    before = checker.check_text(text, path)
    assert len(before.reported) >= 4
    for finding in before.reported:
        for insertion in (silence_block(text, path, finding), silence_file(text, path, finding)):
            if insertion is None:
                assert not finding.quote  # about the whole page, so that there is no block
                continue
            after = checker.check_text(insert(text, insertion), path)
            assert after.score == pytest.approx(before.score, abs=0.01)  # blanks may remain where a comment was
            assert finding.fingerprint not in {f.fingerprint for f in after.reported}
            assert {f.fingerprint for f in after.findings} == {f.fingerprint for f in before.findings}


def test_the_comment_for_a_block_leaves_other_blocks_alone(tmp_path: Path) -> None:
    path = str(tmp_path / "page.md")
    page = Checker().check_text(GEARS, path)
    first, second = [f for f in page.reported if f.rule == "entity_density"][:2]
    insertion = silence_block(GEARS, path, first)
    assert insertion is not None
    after = Checker().check_text(insert(GEARS, insertion), path)
    assert second.fingerprint in {f.fingerprint for f in after.reported}


def test_a_comment_goes_above_the_block_with_its_indent() -> None:
    text = "# A\n\n- one\n\n  Many ships\n  came here.\n"
    insertion = silence_block(text, "a.md", make_finding(text, "came here"))
    assert insertion is not None
    assert insert(text, insertion) == (
        "# A\n\n- one\n\n  <!-- steelyard: off statistic_density -->\n  Many ships\n  came here.\n"
    )


def test_a_comment_never_goes_into_code_or_another_comment() -> None:
    for opening, closing in (("```python", "```"), ("~~~", "~~~"), ("<!-- hidden", "-->")):
        text = f"# A\n\n{opening}\na\n\nb\n{closing}\nMany ships came here.\n"
        insertion = silence_block(text, "a.md", make_finding(text, "Many"))
        assert insertion is not None
        assert insert(text, insertion).startswith(f"# A\n\n{opening}\na\n\nb\n{closing}\n<!-- steelyard: off"), opening


def test_front_matter_stays_at_the_head_of_the_file() -> None:
    text = "---\ntitle: A\n---\nMany ships came here.\n"
    finding = make_finding(text, "Many")
    for insertion in (silence_block(text, "a.md", finding), silence_file(text, "a.md", finding)):
        assert insertion is not None
        assert insert(text, insertion).startswith("---\ntitle: A\n---\n<!-- steelyard")
    assert silence_block(text, "a.md", make_finding(text, "title")) is None


def test_in_html_the_comment_goes_before_the_element_and_not_into_a_tag_or_the_head() -> None:
    text = '<html><head>\n<title>Many</title></head>\n<body>\n<p\n class="a">Many <b>ships</b> came.</p></body></html>'
    insertion = silence_block(text, "a.html", make_finding(text, "ships"))
    assert insertion is not None
    assert '<body>\n<!-- steelyard: off statistic_density -->\n<p\n class="a">' in insert(text, insertion)
    assert silence_block(text, "a.html", make_finding(text, "Many")) is None
    inline = "<p>One</p><p>Many ships came.</p>"
    insertion = silence_block(inline, "a.html", make_finding(inline, "Many"))
    assert insertion == Insertion(10, "<!-- steelyard: off statistic_density -->")


def test_an_xml_declaration_stays_first() -> None:
    text = '<?xml version="1.0"?>\n<html><body><p>Many ships came.</p></body></html>'
    insertion = silence_file(text, "a.xhtml", make_finding(text, "Many"))
    assert insertion is not None
    assert insert(text, insertion).startswith("<?xml")


def test_mdx_has_no_such_comments_so_none_is_offered() -> None:
    finding = make_finding("Many ships", "Many")
    assert silence_block("Many ships", "a.mdx", finding) is silence_file("Many ships", "a.mdx", finding) is None


def test_nothing_is_offered_that_a_later_comment_undoes() -> None:
    text = "# A\n\n<!-- steelyard: on -->\n\nMany ships came here.\n"
    assert silence_file(text, "a.md", make_finding(text, "Many")) is None
