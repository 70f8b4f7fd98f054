"""What a page declares about itself: its title, its description, its language and its own address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_DESCRIPTIONS = ("description", "og:description")  # the preferred one first


@dataclass(frozen=True, slots=True)
class HtmlHead:
    """What programs are told of a page, and what its images say to those who do not see them.

    Attributes:
        titled: Whether it has a title of its own, as a whole page has and a fragment has not.
        description: The one it declares, as search engines prefer them; "" for none.
        described_in: The name of the `meta` that has it.
        language: The language that it says it is in; "" where it does not say.
        silent_images: The names of the images in the main text that have no alternative text, not even an empty one.
    """

    titled: bool = False
    description: str = ""
    described_in: str = ""
    language: str = ""
    silent_images: tuple[str, ...] = ()

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> HtmlHead:
        """Return what `asdict` wrote, after it went through JSON."""
        return cls(**{**data, "silent_images": tuple(data["silent_images"])})


NO_HEAD = HtmlHead()


def read_titles(tree: HtmlElement) -> list[str]:
    """Return the page's declared titles, the preferred one first."""
    titles = [element.text_content() for element in tree.xpath("//title[not(ancestor::svg)]")]
    return titles + [content for name, content in _read_meta(tree) if name == "og:title"]


def read_descriptions(tree: HtmlElement) -> list[str]:
    """Return the page's declared descriptions."""
    return [content for name, content in _read_meta(tree) if name in _DESCRIPTIONS]


def pick_description(tree: HtmlElement) -> tuple[str, str]:
    """Return the name of the preferred `meta` with a description, and what it says; two empty strings for none."""
    found = [(name, " ".join(content.split())) for name, content in _read_meta(tree) if name in _DESCRIPTIONS]
    found = [(name, content) for name, content in found if content]
    return min(found, key=lambda entry: _DESCRIPTIONS.index(entry[0]), default=("", ""))


def read_language(tree: HtmlElement) -> str:
    """Return the language that the page says it is in."""
    return (tree.get("lang") or tree.get("{http://www.w3.org/XML/1998/namespace}lang") or "").strip()


def read_url(tree: HtmlElement) -> str | None:
    """Return the page's own address from its canonical link, else from og:url."""
    addresses = [*tree.xpath("//link[@rel='canonical']/@href"), *(c for n, c in _read_meta(tree) if n == "og:url")]
    return next((a for a in map(str.strip, addresses) if a.lower().startswith(("http://", "https://"))), None)


def _read_meta(tree: HtmlElement) -> Iterator[tuple[str, str]]:
    for element in tree.iter("meta"):
        name = element.get("property") or element.get("name") or ""
        yield name.strip().lower(), element.get("content", "")
