"""What the detector tests share: one detector on one text, and plain prose to plant things in."""

from __future__ import annotations

from functools import cache

from steelyard.detectors import DETECTORS
from steelyard.detectors.base import Measurement, PageWords
from steelyard.detectors.layered_filter import load_thresholds
from steelyard.lab.corpus import CorpusPage, loading
from tests.contract.shared import document

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


def measure_text(name: str, text: str, language: str = "en") -> Measurement:
    """Measure a text with one detector."""
    return BY_NAME[name].measure(PageWords(document(text, language)))


def is_flagged(name: str, text: str, language: str = "en") -> bool:
    """Tell whether a text exceeds a detector's frozen threshold."""
    return measure_text(name, text, language).statistic > float(load_thresholds()["thresholds"][name])


@cache
def demo(language: str) -> tuple[CorpusPage, ...]:
    return loading.load_corpus(loading.DEMO).pages_in(language)
