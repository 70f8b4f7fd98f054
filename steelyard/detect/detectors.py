"""The detectors, in the order they are reported."""

from __future__ import annotations

from steelyard.detect.base import Detector
from steelyard.detect.boilerplate import Boilerplate
from steelyard.detect.compression import Compression
from steelyard.detect.dump import Dump
from steelyard.detect.duplication import Duplication
from steelyard.detect.hidden_text import HiddenText
from steelyard.detect.hollow_evidence import HollowEvidence
from steelyard.detect.instructions import Instructions
from steelyard.detect.interleaving import Interleaving
from steelyard.detect.keyword_density import KeywordDensity
from steelyard.detect.links import Links
from steelyard.detect.repetition import Repetition

DETECTORS: tuple[Detector, ...] = (
    Repetition(),
    KeywordDensity(),
    Interleaving(),
    Duplication(),
    Compression(),
    Boilerplate(),
    Links(),
    HiddenText(),
    Instructions(),
    Dump(),
    HollowEvidence(),
)
BY_NAME = {d.name: d for d in DETECTORS}
NAMES = tuple(BY_NAME)
