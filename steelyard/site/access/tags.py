"""What the tags of a page tell programs about it, read in one pass whatever the page is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from steelyard.site.access.agents import name_agents
from steelyard.site.access.directives import Directive, read_directives
from steelyard.site.crawl.links import read_attributes

MAX_SCRIPTS = 200
MAX_JSON = 1_000_000  # characters of one script
MAX_TAGS = 100  # canonical links and robots meta tags, each
_RAW = ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript", "template")
_TAG = re.compile(rf"<(?:(!--)|(/?)(meta|link|body|{'|'.join(_RAW)})(?=[\s/>]))", re.IGNORECASE)
_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAW}


@dataclass(slots=True)
class PageTags:
    """The tags of one page.

    Attributes:
        directives: Those of its robots meta tags that are for everybody or for a known agent.
        canonicals: The addresses of its canonical links, as written.
        json_ld: Its scripts of structured data.
    """

    directives: list[Directive] = field(default_factory=list)
    canonicals: list[str] = field(default_factory=list)
    json_ld: list[str] = field(default_factory=list)


def read_tags(html: str) -> PageTags:
    """Return what the tags of an HTML page say."""
    tags = PageTags()
    position, in_head = 0, True
    while (tag := _TAG.search(html, position)) is not None:
        if tag[1]:
            end = html.find("-->", tag.end() - 2)
            position = end + 3 if end >= 0 else len(html)
            continue
        name = tag[3].lower()
        attributes, position = read_attributes(html, tag.end())
        if tag[2]:
            continue
        in_head = in_head and name != "body"
        if name in _ENDS:
            ending = _ENDS[name].search(html, position)
            end = ending.start() if ending else len(html)
            if name == "script" and _is_json_ld(attributes) and len(tags.json_ld) < MAX_SCRIPTS:
                tags.json_ld.append(html[position : min(end, position + MAX_JSON + 1)])
            position = end
        elif name == "meta" and len(tags.directives) < MAX_TAGS:
            tags.directives += _read_meta(attributes)
        elif name == "link" and in_head and len(tags.canonicals) < MAX_TAGS:
            href = attributes.get("href", "").strip()
            if href and "canonical" in attributes.get("rel", "").lower().split():
                tags.canonicals.append(href)
    return tags


def _is_json_ld(attributes: dict[str, str]) -> bool:
    return attributes.get("type", "").partition(";")[0].strip().lower() == "application/ld+json"


def _read_meta(attributes: dict[str, str]) -> Iterator[Directive]:
    """Yield the directives of a meta tag for robots, or for one that is known."""
    agent = attributes.get("name", "").strip().lower()
    if agent == "robots" or agent in name_agents():
        for directive in read_directives(attributes.get("content", "")):
            yield directive if directive.agent else directive._replace(agent="" if agent == "robots" else agent)


def read_canonical_links(header: str) -> Iterator[str]:
    """Yield the canonical addresses in the value of a Link header, as written."""
    for piece in header.split("<")[1 : MAX_TAGS + 1]:
        address, _, parameters = piece.partition(">")
        for parameter in parameters.split(";")[1:10]:
            name, _, value = parameter.partition("=")
            words = value.partition(",")[0].strip(" \t\"'").lower().split()
            if name.strip().lower() == "rel" and "canonical" in words:
                yield address.strip()
