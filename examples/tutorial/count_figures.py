"""Ten points for every number on the page."""

import re


def score(text: str) -> float:
    numbers = re.findall(r"[0-9]+", text)
    return min(100.0, 10.0 * len(numbers))
