"""Boilerplate padding: sentences that could stand on any site and say nothing of this page's subject."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.errors import UnknownName
from steelyard.lab.edits.attacks.base import Attack, Job
from steelyard.lab.edits.attacks.placing import appended, cycled, fitted, paragraphs

STYLES = ("sales", "legal", "newsletter", "navigation")
SENTENCES = 4  # to a paragraph


class BoilerplatePadding(Attack):
    """Sales copy, legal and cookie notices, newsletter and social calls, navigation; or one of these styles alone."""

    family = "padding"
    described = True

    def __init__(self, style: str | None = None) -> None:
        if style is not None and style not in STYLES:
            raise UnknownName("style of boilerplate", style, STYLES)
        self.style = style

    @property
    def name(self) -> str:
        """The class's name, and the style's where there is only one."""
        return super().name + (f"_{self.style}" if self.style else "")

    def attacked(self, job: Job) -> str:
        return appended(job, paragraphs(fitted(job, self._sentences(job)), SENTENCES))

    def _sentences(self, job: Job) -> Iterator[str]:
        book = job.material
        styles = (self.style,) if self.style else STYLES
        for form in cycled(job, [text for style in styles for text in book.list("boilerplate", style)]):
            yield book.filled(form, job.rng)
