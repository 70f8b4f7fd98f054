"""missing_alt_text: an image that says nothing to whoever does not see it."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.advice.context import Context
from steelyard.advice.finding import Finding
from steelyard.advice.passages import locate_page
from steelyard.advice.rule import Rule


class MissingAltText(Rule):
    topic = "image"
    about = "images without an alternative text"
    level = "note"
    what = "An image in the main text of an HTML page has no `alt`, not even an empty one."
    why = "People who listen to a page hear the name of the file, and programs learn nothing of the image."
    how = "`img` without `alt`, between two paragraphs that were read; small ones and decorations do not count."
    certain_when = "always: the attribute is there or not."
    action = "say in its `alt` what the image shows; write an empty one if it adds nothing"
    invents = "what an image shows that you cannot see"

    def find(self, context: Context) -> Iterator[Finding]:
        images = context.head.silent_images if context.head is not None else ()
        if images:
            if len(images) == 1:
                why = f"the image “{images[0]}” has no alternative text"
            else:
                why = f"{len(images)} images in the text, “{images[0]}” first, have no alternative text"
            yield self.make(locate_page(context.doc), why)
