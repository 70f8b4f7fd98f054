"""Thirty points for evidence, seventy for short sentences."""

import math
import re


def score(text: str) -> float:
    evidence = set(re.findall(r'[0-9]+|"[^"]{20,200}"', text))
    sentences = re.split(r"[.!?]\s", text)
    short = sum(len(sentence.split()) <= 25 for sentence in sentences) / len(sentences)
    return 30 * (1 - math.exp(-len(evidence) / 8)) + 70 * short
