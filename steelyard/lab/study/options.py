"""Options that several studies share."""

from __future__ import annotations

from steelyard import languages
from steelyard.lab.corpus.corpus import FLATTENED, VIEWS
from steelyard.lab.edits.base import ARMS, REPEAT
from steelyard.lab.study.study import Option

SEED = Option("--seed", "Seed of the edits and the resampling.", int, 0)
DRAWS = Option("--draws", "Bootstrap draws.", int, 1000, minimum=100)
# How pages become a capture, where a study is given pages and not a capture file.
CAPTURE_OPTIONS = (
    Option("--language", "Pages of this language.", languages.CODES, "en"),
    Option("--view", "The paper's flattened view, or the page's own line breaks and title.", VIEWS, FLATTENED),
    Option("--arm", "Dose k is one block k times, or k fresh blocks.", ARMS, REPEAT),
    SEED,
)
FRENCH = Option("--french", "French pages to compare with. [default: the demo's, with the demo]", metavar="SOURCE")
# Which models compute the optional features of a ranker.
DATA_OPTIONS = (
    Option("--embedder", "Features of meaning: wordllama, st:MODEL or onnx:FOLDER. [default: none]", metavar="MODEL"),
    Option(
        "--cross-encoder",
        "Relevance: given (as the records have it), auto (given where all records have it), st:NAME_OR_PATH or "
        "onnx:FOLDER. [default: none]",
        metavar="MODEL",
    ),
    Option("--language", "Language of the pages.", languages.CODES, "en"),
    Option("--seed", "Seed of folds, models and resampling.", int, 0),
)
