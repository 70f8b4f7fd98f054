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


# What formulas name and no quantity gives: the parts that are computed from others.
COMPUTED = {
    "quotable_density": {"r": "the share of quotable sentences"},
    "entity_density": {
        "b(…)": "35 points at 1 per 100 words, 65 at 2, 100 from 3.5; between them in proportion",
        "B_len": "up to 15 points from 800 words with more than 20 names",
    },
    "statistic_density": {"b(…)": "50 points at 0.8 per 100 words, 100 from 1.5; between them in proportion"},
    "citation_f1": {"P": "the share of the sources that are named clearly, of 100"},
}
# What counts, where the label of a component says too little; an example comes from the page.
COUNTED = {
    "quotable_density": "a definition, words that lead to a list, or words of somebody who is named",
    "entity_density": "a name, a date or an amount of money; a measure with its unit, such as 50 g or 6 hours, is none",
    "statistic_density": "a number with what it counts or measures, such as 40 percent",
    "citation_f1": "a named study, body or publication, or a link to another site",
    "self_containment": "a paragraph; one that opens with a word such as “This” points outside itself",
    "semantic_coherence": "words of the title in the text, and words that neighbouring sentences share",
}


def name_symbol(component: str, symbol: str) -> str:
    """Return what a symbol of a component's formula stands for; the symbol itself where no words are known."""
    return SYMBOLS.get(component, {}).get(symbol, symbol)
