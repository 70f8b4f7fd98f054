"""What the symbols of the formulas stand for, in words."""

from __future__ import annotations

# By component; a symbol of several formulas is explained for each.
SYMBOLS = {
    "shannon_entropy": {"H": "entropy of the words, in bits", "V": "different words that count"},
    "information_density": {
        "f_shannon": "the value of shannon_entropy",
        "S_lex": "variety of the words",
        "S_sem": "rare and technical words",
        "MTLD": "words until the variety sinks",
        "C_Herdan": "variety after Herdan",
        "M_Maas": "variety after Maas",
        "v_sent": "variety of the sentences' length",
        "r_reg": "one register throughout",
        "rarity": "rarity of the words",
        "syllables": "syllables of a word",
        "long": "share of long words",
        "concepts": "share of the title's concepts",
        "affix": "share of technical endings",
    },
    "quotable_density": {"q": "quotable sentences", "n_s": "sentences"},
    "entity_density": {"E": "names, dates and amounts", "W": "words", "F": "statements of fact"},
    "semantic_coherence": {
        "T": "closeness of title and text",
        "K": "how the text takes up the title",
        "F_flow": "how sentences follow",
        "W": "words",
        "d": "distance of title and text",
        "V_c": "different content words",
        "cosine": "similarity of title and text",
        "coverage": "share of the title's concepts",
        "density": "share of the title's words",
        "first": "where the title's words begin",
        "o": "common words of neighbours",
        "t": "how near the link words come to three in ten sentences",
        "e": "sentences that share a word with the three before",
        "p": "a constant for the paragraphs",
        "v": "variety of the sentences' length",
    },
    "self_containment": {"n": "paragraphs", "points": "points of each paragraph"},
    "statistic_density": {"S": "different figures", "W": "words", "D": "figures with a date"},
    "mmr_score": {
        "L": "difference of the blocks",
        "R": "freedom from repetition",
        "Q": "worth of the best blocks",
        "blocks": "blocks",
    },
    "citation_f1": {
        "C": "sources",
        "M": "statements that ask for one",
        "c_bar": "how sure the sources are, on average",
        "trusted": "sources that are named clearly",
    },
    "ndcg_score": {
        "S_rel": "relevance of the sections",
        "S_qual": "quality of the sections",
        "S_hier": "order of the headings' levels",
        "S_pos": "whether the relevant comes first",
        "dcg_ratio": "recorded, not scored",
        "sections": "sections",
    },
    "semantic_redundancy": {
        "cos": "similarity of two blocks",
        "J": "common words of two blocks",
        "V": "common different words of two blocks",
        "gamma": "how little the text can be compressed",
        "blocks": "blocks",
        "compared": "blocks that were compared",
    },
}


def name_symbol(component: str, symbol: str) -> str:
    """Return what a symbol of a component's formula stands for; the symbol itself where no words are known."""
    return SYMBOLS.get(component, {}).get(symbol, symbol)
