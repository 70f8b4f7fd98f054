"""Make the documentation a static site: `./run docs --site [FOLDER]`.

Every document becomes a page, with a search that works offline and without a server, one page for each rule, and
`llms.txt`. The contents are the table of docs/index.md.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

ROOT = Path(__file__).resolve().parent.parent.parent
OWN = Path(__file__).resolve().parent
DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "docs/*.md",
    "docs/decisions/*.md",
    "docs/rules/*.md",
    "docs/study/report.md",
    "docs/study/appendix/*.md",
)
CONTENTS = "docs/index.md"
NAMED = {"README.md": "index.html", CONTENTS: "contents.html", "docs/decisions/README.md": "decisions/index.html"}
RULES = "rules/index.html"
IMAGES = (".svg", ".png")
NOT_SEARCHED = "study/appendix/"  # tables of figures
MAX_TEXT = 4_000  # characters of a section that are searched
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(slots=True)
class Page:
    """A document on its way to the site: its address there, its title, its HTML, and the text of its sections."""

    source: str
    address: str
    title: str = ""
    summary: str = ""  # its first paragraph
    html: str = ""
    sections: list[tuple[str, str, str]] = field(default_factory=list)  # anchor, heading, text


def build(folder: Path) -> int:
    """Write the site into a folder, which is replaced, and return the number of its pages.

    Raises:
        SystemExit: The folder holds something else.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / "search-index.js").is_file():
        raise SystemExit(f"docs: {folder} is not empty, and no site; choose another folder")
    shutil.rmtree(folder, ignore_errors=True)
    addresses = {source: find_address(source) for source in list_documents()}
    copied: set[str] = set()
    pages = [Renderer(source, addresses, copied).render() for source in addresses]
    pages.append(make_rule_list(pages))
    groups = list_contents(pages)
    for page in pages:
        write(folder / page.address, fill_template(page, groups))
    for name in copied:
        write(folder / find_address(name), (ROOT / name).read_bytes())
    base = resources.files("steelyard.pages.html").joinpath("base.css").read_text("utf-8")
    write(folder / "site.css", base + (OWN / "site.css").read_text("utf-8"))
    write(folder / "search.js", (OWN / "search.js").read_text("utf-8"))
    write(folder / "search-index.js", make_index(pages))
    write(folder / "llms.txt", make_llms(pages, groups))
    return len(pages)


def list_documents() -> list[str]:
    """Return the documents of this checkout that are pages of the site."""
    return [path.relative_to(ROOT).as_posix() for pattern in DOCUMENTS for path in sorted(ROOT.glob(pattern))]


def find_address(source: str) -> str:
    """Return where a file of this checkout is on the site."""
    inner = source.removeprefix("docs/")
    if source in NAMED or not source.endswith(".md"):
        return NAMED.get(source, inner)
    return inner.removesuffix(".md").lower() + ".html"


class Renderer:
    """Makes one document a page: links lead to pages of the site, and headings have the anchors of Markdown."""

    def __init__(self, source: str, addresses: dict[str, str], copied: set[str]) -> None:
        self._addresses = addresses
        self._copied = copied
        self._page = Page(source, addresses[source])
        self._anchors: dict[str, int] = {}
        self._markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

    def render(self) -> Page:
        """Return the page."""
        page = self._page
        env: dict[str, object] = {}
        tokens = self._markdown.parse((ROOT / page.source).read_text("utf-8"), env)
        for number, token in enumerate(tokens):
            following = tokens[number + 1] if number + 1 < len(tokens) else token
            self._change(token)
            if token.type == "heading_open":
                self._open_section(token, following)
            elif token.type == "inline":
                self._change_inline(token, tokens[number - 1])
            elif token.type in ("fence", "code_block"):
                self._add_text(token.content)
        html = str(self._markdown.renderer.render(tokens, self._markdown.options, env))
        html = html.replace("<pre>", '<pre tabindex="0">').replace("<th></th>", "<td></td>")
        page.html = html.replace("<table>", '<div class="table" tabindex="0"><table>').replace(
            "</table>", "</table></div>"
        )
        return page

    def _change(self, token: Token) -> None:
        """Leave out comments; a class says how a cell is aligned."""
        if token.type == "html_block":
            token.content = _COMMENT.sub("", token.content)
        if token.attrs.pop("style", "") == "text-align:right":
            token.attrSet("class", "right")

    def _open_section(self, heading: Token, inline: Token) -> None:
        anchor = re.sub(r"[^\w\- ]", "", inline.content.strip().lower()).replace(" ", "-")
        times = self._anchors[anchor] = self._anchors.get(anchor, 0) + 1
        anchor = f"{anchor}-{times - 1}" if times > 1 else anchor
        heading.attrSet("id", anchor)
        title = read_words(inline)
        if heading.tag == "h1":
            self._page.title = self._page.title or title
        self._page.sections.append((anchor, title, ""))

    def _change_inline(self, token: Token, before: Token) -> None:
        for child in token.children or ():
            if child.type == "html_inline":
                child.content = _COMMENT.sub("", child.content)
            elif child.type == "link_open":
                child.attrSet("href", self._locate(str(child.attrGet("href"))))
            elif child.type == "image":
                child.attrSet("src", self._locate(str(child.attrGet("src"))))
        words = read_words(token)
        if before.type == "paragraph_open" and not self._page.summary and not token.content.startswith("!["):
            self._page.summary = words
        if before.type != "heading_open":
            self._add_text(words)

    def _add_text(self, text: str) -> None:
        if self._page.sections:
            anchor, heading, before = self._page.sections[-1]
            self._page.sections[-1] = (anchor, heading, f"{before} {' '.join(text.split())}".strip())

    def _locate(self, target: str) -> str:
        """Return the address of what a link leads to: a page, a file that is copied, or a folder of the source."""
        from steelyard.advice.finding import DOCUMENTATION

        name, _, anchor = target.partition("#")
        if "://" in target or target.startswith("mailto:") or not name:
            return target
        path = Path(os.path.normpath(ROOT / Path(self._page.source).parent / name))
        source = path.relative_to(ROOT).as_posix()
        if path.is_dir():
            return f"{DOCUMENTATION.removesuffix('/docs')}/{source}"
        if source not in self._addresses:
            self._copied.add(source)
        address = self._addresses.get(source) or find_address(source)
        return point(self._page.address, address) + (f"#{anchor}" if anchor else "")


def read_words(token: Token) -> str:
    """Return the words of a paragraph or a heading without its markup."""
    kinds = {"text": "", "code_inline": "", "softbreak": " ", "hardbreak": " "}
    words = "".join(child.content or kinds[child.type] for child in token.children or () if child.type in kinds)
    return " ".join(words.split())


def point(start: str, end: str) -> str:
    """Return a relative link from one address of the site to another."""
    return os.path.relpath(end, PurePosixPath(start).parent)


def make_rule_list(pages: list[Page]) -> Page:
    """Return the page that lists all rules, made of their own pages."""
    rules = [page for page in pages if page.source.startswith("docs/rules/")]
    rows = [
        f'<li><a href="{point(RULES, page.address)}"><code>{Markup.escape(page.title)}</code></a> '
        f"{Markup.escape(page.summary)}</li>"
        for page in rules
    ]
    about = "What is found on pages, each with examples."
    html = f"<h1>Rules</h1>\n<p>{about}</p>\n<ul>\n" + "\n".join(rows) + "\n</ul>"
    return Page("", RULES, "Rules", about, html)


def list_contents(pages: list[Page]) -> list[tuple[str, list[Page]]]:
    """Return the groups of the contents and their pages, from the table of docs/index.md; then the rules."""
    by_source = {page.source: page for page in pages}
    groups: list[tuple[str, list[Page]]] = [("Start", [by_source["README.md"], by_source[CONTENTS]])]
    listed: set[str] = {"README.md", CONTENTS}
    for line in (ROOT / CONTENTS).read_text("utf-8").splitlines():
        cells = line.strip("| ").split(" | ") if line.startswith("|") else [""]
        links = re.findall(r"\]\(([^)#\s]+\.md)", cells[-1])
        names = [os.path.normpath(f"docs/{name}") for name in links]
        new = [name for name in names if name in by_source and name not in listed]
        if new:
            groups.append((cells[0][:1].upper() + cells[0][1:], [by_source[name] for name in new]))
            listed |= set(new)
    groups.append(("See what the advice looks for", [page for page in pages if page.address == RULES]))
    return groups


@dataclass(frozen=True, slots=True)
class Link:
    """A link of the contents, as a page shows it."""

    href: str
    name: str


def fill_template(page: Page, groups: list[tuple[str, list[Page]]]) -> str:
    """Return a whole page."""
    from steelyard import __version__

    templates = Environment(loader=FileSystemLoader(OWN), autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    links = [
        (name, [Link(point(page.address, each.address), each.title) for each in listed]) for name, listed in groups
    ]
    return templates.get_template("page.html").render(
        title=page.title,
        version=__version__,
        root="../" * page.address.count("/"),
        here=PurePosixPath(page.address).name,
        groups=links,
        content=Markup(page.html),  # noqa: S704 - from the documents of this checkout
    )


def make_index(pages: list[Page]) -> str:
    """Return the script with what is searched: the address, the page, the heading and the text of every section."""
    rows = [
        [f"{page.address}#{anchor}", page.title, heading, text[:MAX_TEXT]]
        for page in pages
        if not page.address.startswith(NOT_SEARCHED)
        for anchor, heading, text in page.sections
    ]
    return f"window.searchIndex = {json.dumps(rows, ensure_ascii=False, separators=(',', ':'))};\n"


def make_llms(pages: list[Page], groups: list[tuple[str, list[Page]]]) -> str:
    """Return the list of pages for assistants, in the form of llmstxt.org."""

    def list_pages(chosen: list[Page]) -> Iterator[str]:
        for page in chosen:
            yield f"- [{page.title}]({page.address}): {page.summary.split('. ')[0].rstrip('.:')}"

    home = next(page for page in pages if page.source == "README.md")
    lines = [f"# {home.title}", "", f"> {home.summary}", ""]
    for name, listed in groups:
        lines += [f"## {name}", "", *list_pages(listed), ""]
    rules = [page for page in pages if page.source.startswith("docs/rules/")]
    return "\n".join([*lines, "## Rules", "", *list_pages(rules), ""])


def write(path: Path, content: str | bytes) -> None:
    """Write a file of the site."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
