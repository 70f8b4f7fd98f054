"""What the detector tests share: one detector on one text, and plain prose to plant things in."""

from __future__ import annotations

from functools import cache

from steelyard.detectors.base import Measured
from steelyard.detectors.inspected import Examined
from steelyard.detectors.layered_filter import settings
from steelyard.detectors.registry import DETECTORS
from steelyard.lab.corpus import loading as candidates
from steelyard.lab.corpus.corpus import CorpusPage
from tests.contract.reading import document

BY_NAME = {d.name: d for d in DETECTORS}

# Nobody's page: varied words, no figures, no names, no links.
ENGLISH = """The old mill stands where two streams meet, and its wheel still turns in spring. Millers once ground
barley there for every farm along the valley. When the railway came, flour arrived from larger works, so the family
closed the stones and kept only the bakery. A cousin later repaired the sluice, cleaned the pond and planted willows
against the flood. Children now learn to swim below the weir, while herons watch from the reeds. Some evenings the
baker opens the loft, shows visitors how the gears engage, and explains why wooden teeth make less noise than iron.
Nothing about the building is grand, yet people cross the county to hear it work."""
FRENCH = """Le vieux moulin se dresse là où deux ruisseaux se rejoignent, et sa roue tourne encore au printemps. Les
meuniers y broyaient jadis l'orge de chaque ferme de la vallée. Quand le chemin de fer arriva, la farine vint d'usines
plus grandes, si bien que la famille arrêta les meules et garda seulement la boulangerie. Un cousin répara plus tard la
vanne, nettoya l'étang et planta des saules contre les crues. Les enfants apprennent maintenant à nager sous le barrage,
pendant que des hérons guettent depuis les roseaux. Certains soirs, le boulanger ouvre le grenier et explique pourquoi
des dents en bois font moins de bruit que le fer."""


def measured(name: str, text: str, language: str = "en") -> Measured:
    """One detector's reading of a text."""
    return BY_NAME[name].measure(Examined(document(text, language)))


def seen(name: str, text: str, language: str = "en") -> bool:
    """Whether a detector passes its shipped threshold."""
    return measured(name, text, language).statistic > float(settings()["thresholds"][name])


@cache
def demo(language: str) -> tuple[CorpusPage, ...]:
    return candidates.load(candidates.DEMO).of(language)
