"""The eleven components of the score, in the paper's order."""

from __future__ import annotations

from steelyard.components.base import Component
from steelyard.components.citation_f1 import CitationF1
from steelyard.components.entity_density import EntityDensity
from steelyard.components.information_density import InformationDensity
from steelyard.components.mmr_score import MmrScore
from steelyard.components.ndcg_score import NdcgScore
from steelyard.components.quotable_density import QuotableDensity
from steelyard.components.self_containment import SelfContainment
from steelyard.components.semantic_coherence import SemanticCoherence
from steelyard.components.semantic_redundancy import SemanticRedundancy
from steelyard.components.shannon_entropy import ShannonEntropy
from steelyard.components.statistic_density import StatisticDensity

COMPONENTS: tuple[Component, ...] = (
    ShannonEntropy(),
    InformationDensity(),
    QuotableDensity(),
    EntityDensity(),
    SemanticCoherence(),
    SelfContainment(),
    StatisticDensity(),
    MmrScore(),
    CitationF1(),
    NdcgScore(),
    SemanticRedundancy(),
)
BY_NAME = {c.name: c for c in COMPONENTS}
NAMES = tuple(BY_NAME)

__all__ = ["COMPONENTS", "NAMES", "Component"]
