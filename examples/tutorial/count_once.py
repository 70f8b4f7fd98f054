"""Count every number and every quotation once, and each one a little less than the one before."""

import math
import re


def score(text: str) -> float:
    evidence = set(re.findall(r'[0-9]+|"[^"]{20,200}"', text))
    return 100 * (1 - math.exp(-len(evidence) / 8))
