"""The single registry of studies, in the order of the report.

A study's command, its sections in `reproduce` and the report, and its blocks in the documentation all follow from its
entry here.
"""

from __future__ import annotations

from steelyard.lab.study.studies import (
    agreement,
    anchors,
    blind,
    ceiling,
    compare_strategies,
    constants,
    controls,
    displacement,
    distributions,
    duplicates,
    editions,
    false_positives,
    falsify,
    full_score,
    gaming,
    gates,
    identify,
    levers,
    matrix,
    observational,
    outcome,
    ranking,
    ranking_audit,
    robustness,
)
from steelyard.lab.study.study import Study

STUDIES: tuple[Study, ...] = (
    constants.STUDY,
    distributions.STUDY,
    matrix.STUDY,
    gates.STUDY,
    controls.STUDY,
    compare_strategies.STUDY,
    identify.STUDY,
    robustness.STUDY,
    full_score.STUDY,
    observational.STUDY,
    falsify.STUDY,
    editions.STUDY,
    agreement.STUDY,
    gaming.STUDY,
    false_positives.STUDY,
    displacement.STUDY,
    duplicates.STUDY,
    outcome.STUDY,
    anchors.STUDY,
    levers.STUDY,
    ceiling.STUDY,
    blind.STUDY,
    ranking.STUDY,
    ranking_audit.STUDY,
)
BY_NAME = {study.name: study for study in STUDIES}
