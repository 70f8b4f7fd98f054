"""The anchors: published relative gains in visibility of five interventions, in per cent.

From Aggarwal et al., "GEO: Generative Engine Optimization" (KDD 2024), as the paper prints them. They enter the
fit and the alignment, never a gate.
"""

from __future__ import annotations

from steelyard.lab.protocol.variants import INTERVENTIONS

PUBLISHED = (42.6, 32.8, 27.7, 18.5, -8.8)
ANCHORS = dict(zip(INTERVENTIONS, PUBLISHED, strict=True))
