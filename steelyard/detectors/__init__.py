"""Detectors: each finds one kind of manipulation. Together they flag a page or not; the score is not affected.

`DETECTORS` has them in the order in which they are reported.
"""

from __future__ import annotations

from steelyard.detectors.base import Detector
from steelyard.detectors.boilerplate import Boilerplate
from steelyard.detectors.dump import Dump
from steelyard.detectors.duplication import Duplication
from steelyard.detectors.hidden_text import HiddenText
from steelyard.detectors.hollow_evidence import HollowEvidence
from steelyard.detectors.instructions import Instructions
from steelyard.detectors.interleaving import Interleaving
from steelyard.detectors.keyword_density import KeywordDensity
from steelyard.detectors.links import Links
from steelyard.detectors.near_duplication import NearDuplication
from steelyard.detectors.questions import Questions
from steelyard.detectors.repetition import Repetition
from steelyard.detectors.templates import Templates
from steelyard.detectors.testimonials import Testimonials

DETECTORS: tuple[Detector, ...] = (
    Repetition(),
    KeywordDensity(),
    Interleaving(),
    Duplication(),
    NearDuplication(),
    Templates(),
    Boilerplate(),
    Links(),
    HiddenText(),
    Instructions(),
    Dump(),
    HollowEvidence(),
    Questions(),
    Testimonials(),
)
BY_NAME = {d.name: d for d in DETECTORS}
NAMES = tuple(BY_NAME)
