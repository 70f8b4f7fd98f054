"""Every figure and every quotation counts once, and each one a little less than the one before."""

import math
import re


def facts(text: str) -> float:
    found = set(re.findall(r'[0-9]+|"[^"]{20,200}"', text))
    return 100 * (1 - math.exp(-len(found) / 8))
