"""What a page, a title or a file name holds is shown and never obeyed, by whatever shows it."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.contract.shared import run_steelyard
from tests.hostile.pages import SENTENCE

PAYLOADS = {
    "colour": "\x1b[31mred\x1b[0m",
    "terminal title": "\x1b]0;owned\x07",
    "eight-bit escape": "\x9b31mred",
    "backspace": "safe\x08\x08\x08\x08evil",
    "carriage return": "harmless\rreplaced",
    "bidi override": "\u202etxt.exe\u202c",
    "bidi isolate": "\u2066hidden\u2069",
    "zero width": "in\u200bvi\u2060si\ufeffble",
    "tag characters": "a\U000e0041\U000e0042b",
    "line separator": "one\u2028two",
    "rich markup": "[bold]loud[/bold] [/docs] [link=file:///]x[/link]",
    "HTML": "<img src=x onerror=alert(1)><script>alert(1)</script>",
    "HTML attribute": "\"'><svg onload=alert(1)>",
    "entity": "&lt;b&gt; &amp;amp;",
    "Markdown": "`code` | pipe | **bold** [x](javascript:alert(1)) ![i](http://e.example/i.png) # h",
    "backslash": "a\\| b \\",
    "formula": "=cmd()|' /C calc'!A0",
    "plus": "+1+1",
    "minus": "-1+1",
    "at": "@SUM(1)",
    "quote and comma": '","=1+1,"',
}
UNSAFE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
FORMATS = ("human", "markdown", "csv", "html")
# The elements of our own report; a page cannot add one.
OURS = set(
    "html head meta title style script body main header h1 h2 h3 h4 h5 h6 p b i a table caption thead tbody tr th td "
    "ul ol li dl dt dd span mark small section details summary pre code blockquote figure div figcaption label input "
    "svg g rect".split()
)
OUR_ATTRIBUTES = set(
    "lang charset name content http-equiv class title id href open scope role type for value hidden tabindex "
    "autocomplete data-sort data-start data-end data-key data-kind data-why aria-label "
    "aria-labelledby aria-describedby aria-hidden aria-sort "
    "viewbox preserveaspectratio x y width height rel".split()
)


def file_name(payload: str) -> str:
    return payload.replace("/", "∕").replace("\0", "") + ".md"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every payload in a file name, in a title and in the text; some as the name of a file that is not text."""
    folder = tmp_path_factory.mktemp("payloads")
    for payload in PAYLOADS.values():
        page = f"# {payload}\n\nThe keeper said {payload} and wrote it down in 1871. {SENTENCE * 6}\n\n{payload}\n"
        (folder / file_name(payload)).write_text(page, encoding="utf-8", newline="")
        (folder / f"binary {file_name(payload)}").write_bytes(b"\0\xff" * 50)
    records = [json.dumps({"text": SENTENCE * 6, "title": p, "source": p}) for p in PAYLOADS.values()]
    (folder / "records.jsonl").write_text("\n".join(records))
    return folder


@pytest.fixture(scope="module")
def printed(site: Path) -> dict[str, tuple[str, str]]:
    """(stdout, stderr) of `score` on all of them, by format."""
    outputs = {}
    for form in FORMATS:
        done = run_steelyard(
            "score", ".", "records.jsonl", "--language", "en", "--jobs", "1", "--format", form, cwd=site
        )
        assert done.returncode == 2, done.stderr.decode()
        outputs[form] = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
    return outputs


def assert_harmless(text: str, label: object = "") -> None:
    """Assert that a terminal obeys and hides nothing of a text."""
    assert sorted(set(UNSAFE.findall(text))) == [], label


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_that_is_obeyed_or_invisible_is_printed(form: str, printed: dict[str, tuple[str, str]]):
    for text in printed[form]:
        assert_harmless(text)


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_json_holds_it_escaped_and_gives_it_back(form: str, site: Path):
    options = ("--language", "en", "--jobs", "1", "--format", form, "--with-text")
    text = run_steelyard("score", ".", "records.jsonl", *options, cwd=site).stdout.decode("utf-8")
    assert_harmless(text)
    pages = json.loads(text)["pages"] if form == "json" else list(map(json.loads, text.splitlines()))
    by_source = {page["source"]: page for page in pages}
    assert {f"./{file_name(payload)}" for payload in PAYLOADS.values()} <= by_source.keys()
    assert any(PAYLOADS["bidi override"] in page.get("text", "") for page in pages)
    coloured = by_source[f"./{file_name(PAYLOADS['colour'])}"]
    assert coloured["title"] == PAYLOADS["colour"].replace("\x1b", ""), "the title that a reader sees"


def test_commands_about_one_page_show_controls_and_markup_and_obey_none(site: Path, tmp_path: Path):
    path = tmp_path / "page.md"
    text = "".join(f'"We read {p} twice a day," said Anna Weir in 1871. {SENTENCE}' for p in PAYLOADS.values())
    path.write_text(f"# {PAYLOADS['colour']}\n\n{text}", encoding="utf-8", newline="")
    colour, bidi, markup = (file_name(PAYLOADS[name]) for name in ("colour", "bidi override", "rich markup"))
    for arguments, shown in (
        (("score", "--", markup), "[bold]"),
        (("explain", "--all", str(path)), "citation"),
        (("compare", "--", colour, bidi), ""),
    ):
        done = run_steelyard(arguments[0], "--language", "en", *arguments[1:], cwd=site)
        assert done.returncode == 0, done.stderr.decode()
        assert_harmless(done.stdout.decode(), arguments)
        assert shown in done.stdout.decode()


def test_the_csv_is_rectangular_and_holds_no_formula(printed: dict[str, tuple[str, str]]):
    head, *rows = csv.reader(io.StringIO(printed["csv"][0]))
    assert len(rows) == 3 * len(PAYLOADS)
    assert {len(row) for row in rows} == {len(head)}
    cells = [cell for row in rows for cell in row]
    assert [c for c in cells if c.startswith(("=", "+", "-", "@", "\t", "\r"))] == []
    titles = {row[head.index("title")] for row in rows}
    assert {"'=cmd()|' /C calc'!A0", "'+1+1", "'-1+1", "'@SUM(1)", '","=1+1,"'} <= titles


def test_a_row_of_a_markdown_table_keeps_its_cells(printed: dict[str, tuple[str, str]]):
    unescaped = r"(?<!\\)(?:\\\\)*"
    for block in re.split(r"\n\n+", printed["markdown"][0]):
        rows = [line for line in block.split("\n") if line.startswith("|")]
        assert len({len(re.findall(rf"{unescaped}\|", row)) for row in rows}) <= 1, rows
    body = printed["markdown"][0]
    assert re.findall(rf"{unescaped}[`<]", body) == []
    assert re.findall(rf"{unescaped}\[[^\]]*\]\(", body) == []


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_a_page_adds_no_element_and_no_attribute_to_the_html_report(printed: dict[str, tuple[str, str]]):
    report = _Tags()
    report.feed(printed["html"][0])
    assert report.tags <= OURS
    assert report.attributes <= OUR_ATTRIBUTES
    own = re.compile(r"#(?:p[0-9]+(?:-(?:[hm]?[0-9]+|first|points|read|sections))?|pages)")  # no other address
    assert [a for a in report.addresses if not own.fullmatch(a)] == []
    assert printed["html"][0].count("<script") == 1
    shown = "".join(report.text)
    assert PAYLOADS["HTML"] in shown
    assert PAYLOADS["HTML attribute"] in shown
    assert PAYLOADS["entity"] in shown


def test_the_html_report_allows_no_other_script_and_no_request(printed: dict[str, tuple[str, str]]):
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', printed["html"][0])
    assert policy
    digest = r"'sha256-[A-Za-z0-9+/]{43}='"
    assert re.fullmatch(
        rf"default-src 'none'; style-src {digest}; script-src {digest}; base-uri 'none'; form-action 'none'", policy[1]
    )


def test_an_error_about_a_hostile_name_or_argument_is_one_harmless_line():
    names = ["nothing " + payload for payload in PAYLOADS.values()]
    options = [("score", "x", f"--{option}", "\x1b[31m\u202ex") for option in ("format", "weights", "as-of")]
    for arguments, lines in (
        (("score", *names), len(names)),
        *((each, 1) for each in (*options, ("\x1b[31m\u202ex",))),
    ):
        done = run_steelyard(*arguments)
        message = done.stderr.decode()
        assert done.returncode == 2, arguments
        assert message.count("\n") == lines, message
        assert_harmless(message, arguments)


@pytest.mark.parametrize("form", ["human", "csv", "markdown"])
def test_domains_with_hostile_names_are_ranked_harmlessly(form: str, tmp_path: Path):
    path = tmp_path / "scores.jsonl"
    path.write_text("\n".join(json.dumps({"domain": p, "score": 50}) for p in PAYLOADS.values()))
    done = run_steelyard("domains", str(path), "--format", form)
    assert done.returncode == 0, done.stderr.decode()
    text = done.stdout.decode()
    assert_harmless(text)
    if form == "csv":
        assert [row[1] for row in csv.reader(io.StringIO(text)) if row[1].startswith(("=", "+", "-", "@"))] == []
