"""A page with figures in it knows something: ten points for each."""

import re


def facts(text: str) -> float:
    found = re.findall(r"[0-9]+", text)
    return min(100.0, 10.0 * len(found))
