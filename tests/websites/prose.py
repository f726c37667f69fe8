"""Prose that says nothing: varied, and the same for the same seed."""

from __future__ import annotations

import random

_NOUNS = """bridge lantern harbour orchard kettle market valley mill library garden ferry tower bakery
workshop meadow railway chapel quarry festival choir council river school theatre barn well""".split()
_ADJECTIVES = """old quiet narrow painted wooden broad northern early late careful busy hidden bright
small sturdy patient open crooked plain warm""".split()
_VERBS = """repairs visits paints measures opens closes celebrates remembers carries counts lends
builds plants mends crosses follows finds keeps shares records""".split()
_TAILS = """before noon; after the rain; near the station; with two neighbours; for the third time;
without any hurry; as every spring; in spite of the wind; by candle light; for the whole village;
at no cost; under the lime trees; until dusk; on market days""".replace("\n", " ").split("; ")
_NAMES = "Alder Birch Cedar Dorn Elm Fern Gorse Hazel Ivy Juniper Larch Maple Oak Pine Rowan Sorrel".split()


class Writer:
    """Writes words, sentences and paragraphs by chance, from a seed."""

    def __init__(self, seed: object) -> None:
        self.chance = random.Random(f"village {seed}")

    def name(self) -> str:
        return f"{self.chance.choice(_NAMES)} {self.chance.choice(_NAMES)}"

    def title(self) -> str:
        a, n, m = self.chance.choice(_ADJECTIVES), self.chance.choice(_NOUNS), self.chance.choice(_NOUNS)
        return self.chance.choice([f"The {a} {n}", f"A {n} for the {m}", f"{self.name()} and the {a} {n}"])

    def sentence(self) -> str:
        pick = self.chance.choice
        first = f"The {pick(_ADJECTIVES)} {pick(_NOUNS)}" if self.chance.random() < 0.6 else self.name()
        number = f" {self.chance.randrange(2, 900)}" if self.chance.random() < 0.3 else " the"
        return f"{first} {pick(_VERBS)}{number} {pick(_ADJECTIVES)} {pick(_NOUNS)} {pick(_TAILS)}."

    def paragraph(self, sentences: int = 5) -> str:
        return " ".join(self.sentence() for _ in range(sentences))
