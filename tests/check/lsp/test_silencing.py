"""The comments that the editor offers: they silence the finding, change no score, and break no page."""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard.check.lsp.silencing import Insertion, silence_block, silence_file
from steelyard.check.result import CheckedFinding
from steelyard.check.run import Checker
from steelyard.scoring import editions
from steelyard.text.positions import Lines

SITE = Path(__file__).resolve().parents[3] / "examples" / "site"
COFFEE = (SITE / "guides" / "coffee-extraction.md").read_text("utf-8")
CELLS = (SITE / "science" / "lithium-cell-ageing.md").read_text("utf-8")
PAGES = {"no front matter": COFFEE, "front matter": CELLS, "crlf": CELLS.replace("\n", "\r\n")}


def insert(text: str, insertion: Insertion) -> str:
    return text[: insertion.offset] + insertion.text + text[insertion.offset :]


def make_finding(text: str, words: str, rule: str = "statistic_density") -> CheckedFinding:
    start = text.index(words)
    location = Lines(text).locate(start, start + len(words))
    return CheckedFinding(
        rule=rule, component=rule, topic="figure", why="", quote=words, fingerprint="", **location._asdict()
    )


def to_html(text: str) -> str:
    blocks = [block for block in text.split("\n\n") if not block.startswith(("---", "|"))]
    body = "\n".join(f"  <p>{block}</p>" for block in blocks)
    head = "<!DOCTYPE html>\n<html><head><title>Coffee</title></head>\n<body>\n<article>\n"
    return f"{head}{body}\n</article>\n</body></html>\n"


@pytest.mark.parametrize("edition", editions.NAMES)
@pytest.mark.parametrize("name", [*PAGES, "html"])
def test_each_finding_disappears_with_its_comment_and_the_score_stays(name: str, edition: str, tmp_path: Path) -> None:
    text = to_html(COFFEE) if name == "html" else PAGES[name]
    path = str(tmp_path / ("page.html" if name == "html" else "page.md"))
    checker = Checker({"edition": edition, "as_of": "2026-07-01", "uncertain": True})
    before = checker.check_text(text, path)
    assert len(before.reported) >= 3
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
    page = Checker({"uncertain": True}).check_text(COFFEE, path)
    first, second = [f for f in page.reported if f.rule == "self_containment"][:2]
    insertion = silence_block(COFFEE, path, first)
    assert insertion is not None
    after = Checker({"uncertain": True}).check_text(insert(COFFEE, insertion), path)
    assert second.fingerprint in {f.fingerprint for f in after.reported}


COMMENT = "<!-- steelyard: off statistic_density -->"
ENDING = "Many ships came here.\n"
HTML = '<html><head>\n<title>Many</title></head>\n<body>\n¦<p\n class="a">Many <b>ships</b> came.</p></body></html>'
# A file, its text with a mark where the comment for a block goes, and words of the block; without a mark there is none.
BLOCKS = [
    ("a.md", "# A\n\n- one\n\n  ¦Many ships\n  came here.\n", "came here"),
    ("a.md", f"# A\n\n```python\na\n\nb\n```\n¦{ENDING}", "Many"),
    ("a.md", f"# A\n\n~~~\na\n\nb\n~~~\n¦{ENDING}", "Many"),
    ("a.md", f"# A\n\n<!-- hidden\na\n\nb\n-->\n¦{ENDING}", "Many"),
    ("a.md", f"---\ntitle: A\n---\n¦{ENDING}", "Many"),
    ("a.md", f"---\ntitle: A\n---\n{ENDING}", "title"),
    ("a.html", HTML, "ships"),
    ("a.html", HTML.replace("¦", ""), "Many"),
    ("a.html", "<p>One</p>¦<p>Many ships came.</p>", "Many"),
    ("a.mdx", ENDING, "Many"),  # which has no such comments
]
# The same for the whole file.
FILES = [
    ("a.md", f"---\ntitle: A\n---\n¦{ENDING}", "Many"),
    ("a.xhtml", '<?xml version="1.0"?>¦\n<html><body><p>Many ships came.</p></body></html>', "Many"),
    ("a.md", f"# A\n\n<!-- steelyard: on -->\n\n{ENDING}", "Many"),  # which would undo it
    ("a.mdx", ENDING, "Many"),
]


def test_a_comment_goes_where_it_silences_the_finding_and_breaks_nothing() -> None:
    for silence, cases in ((silence_block, BLOCKS), (silence_file, FILES)):
        for path, marked, words in cases:
            text = marked.replace("¦", "")
            insertion = silence(text, path, make_finding(text, words))
            if "¦" not in marked:
                assert insertion is None, marked
                continue
            assert insertion is not None, marked
            written = insert(text, insertion)
            before, _, after = marked.partition("¦")
            assert written.startswith(before), marked
            assert written.endswith(after), marked
            assert written[len(before) : len(written) - len(after)].strip() == COMMENT, marked
            assert written.count("\n\n  <!--") == written.count("- one"), marked  # with the indent of its block
