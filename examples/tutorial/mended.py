"""Thirty points for evidence, seventy for sentences that can be read in one breath."""

import math
import re


def facts(text: str) -> float:
    found = set(re.findall(r'[0-9]+|"[^"]{20,200}"', text))
    evidence = 1 - math.exp(-len(found) / 8)
    sentences = re.split(r"[.!?]\s", text)
    short = sum(len(sentence.split()) <= 25 for sentence in sentences) / len(sentences)
    return 30 * evidence + 70 * short
