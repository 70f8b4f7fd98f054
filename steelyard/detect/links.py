"""links: how much of the page is links and addresses."""

from __future__ import annotations

import re

from steelyard.detect.base import Detector, Measured
from steelyard.detect.page import Examined

_ADDRESS = re.compile(r"https?://[^\s)>\]]{3,200}|www\.[^\s)>\]]{3,200}")


class Links(Detector):
    """Links and bare addresses to other sites per 100 words."""

    about = "links and addresses of other sites per 100 words"
    least = 1.0

    def measure(self, page: Examined) -> Measured:
        doc = page.doc
        external = [link for link in doc.structure.links if link.url.lower().startswith(("http://", "https://", "//"))]
        bare = [m.span() for m in _ADDRESS.finditer(doc.text)]
        number = len(external) + len(bare)
        if not number:
            return Measured(0.0)
        rate = 100 * number / max(len(page), 1)
        return Measured(rate, {"links": len(external), "addresses": len(bare)}, tuple(bare[:20]))
