"""Prose of no meaning: varied English sentences, titles and names, the same for the same seed.

Sentences come from a small grammar over word lists of our own.  Names of people and places are put
together from syllables, so that every text brings some words that no other text has.
"""

from __future__ import annotations

import random

_NOUNS = """almanac anchor apron archive attic bakery balcony barge barrel basin basket beacon bell bench
blanket boat bottle bridge broom bucket cabin café canal candle carpet cart castle cellar chapel chart
chimney choir cistern clock coat compass corner cottage council courtyard crane crêpe cupboard curtain dam
desk diary ditch door drum easel engine façade farm fence ferry field fiddle forge fountain garden gate
glove granary hammer harbour hedge hinge inn island kettle kiosk kitchen ladder lamp lantern ledger letter
loaf loom map market meadow mill mirror mitten museum notebook oar orchard oven paddle pantry parcel path
pear pier pillow plough pond porch postcard pump quarry quilt raft railing ribbon river road roof rope
saddle sail saw school shed shovel signal spoon stable staircase station stone stove street tavern teapot
theatre ticket tile tower trunk tunnel valley village violin wagon wall well wheel window workshop""".split()
_ADJECTIVES = """ancient bitter blue bold brass bright brisk broad broken careful cheap clean clever coarse
cold crooked curious damp dark deep distant dry dusty early empty even faded fair famous fine firm flat
forgotten fresh gentle golden green grey handsome heavy hidden hollow idle iron large late lean little
lonely long loose loud low mild modest muddy narrow neat new noisy northern odd old open painted pale
patient plain polished poor proud quick quiet rare ripe rough round rusty secret shallow sharp short silent
silver simple slow small smooth soft southern spare steep stiff strange sturdy tall tidy tiny uneven upper
warm weary wet white wide wild wooden worn yellow young""".split()
_VERBS = """admired altered answered arranged balanced borrowed bought built buried carried caught chose
cleaned closed collected copied counted covered crossed decorated delivered described drew emptied examined
explained filled finished followed forgot found gathered guarded hired ignored improved inherited inspected
joined kept lent lifted loaded lost measured mended moved named noticed offered opened ordered owned packed
painted praised preferred promised pulled pushed raised reached recorded remembered rented repaired replaced
restored returned rolled sold sketched studied swept tested traded turned valued visited wanted warmed
watched weighed widened wrapped""".split()
_ADVERBS = """almost always calmly certainly eagerly finally gladly hardly hastily often once openly
perhaps politely quietly rarely seldom shortly simply slowly sometimes soon suddenly twice usually""".split()
_OWNERS = """aunt baker clerk cobbler gardener judge mason mayor miller nurse painter pilot potter printer
sexton stranger tailor teacher widow weaver""".split()
_PLACED = "above behind below beside beyond inside near opposite under".split()
_TIMES = """at dawn; at noon; before the frost; by candle light; during the long winter; every other
autumn; for the first time in years; in the spring; late in the evening; on market days; on the last Monday;
since the flood; three days later; under a full moon; until midnight; when the rain had stopped; while the
neighbours slept; within a week""".replace("\n", " ").split("; ")
_MANNERS = """against all advice; at no cost; behind closed doors; despite the weather; for the common
good; free of charge; from memory; in good order; on behalf of the guild; out of habit; to general surprise;
to the last detail; with a steady hand; with borrowed tools; without a word; without much hope""".replace(
    "\n", " "
).split("; ")
_LINKS = ["although", "and", "because", "before", "but", "so that", "until", "whereas", "while", "yet"]
_OPENERS = ["After all,", "As a rule,", "By then", "In the end", "Meanwhile", "Of course", "Nobody knew why"]
_STARTS = (
    "Al Bar Cor Dun El Far Gar Hol Iv Jor Kel Lor Mar Nor Os Pel Quil Ros Sel Tor Ul Ver Wen Yar".split()
)
_MIDDLES = "a and ber den e el er i il in o or u un".split()
_ENDS = "bel dan dell ford gar ham ker lan ley lin low mer mond ney rick ros ston tha ton wick".split()
_MONTHS = """January February March April May June July August September October November
December""".split()


class Writer:
    """Writes words, sentences and paragraphs by chance.

    seed    writers of equal seeds (equal as text) write the same, in every process
    chance  the source of chance, for whoever writes what is not prose
    """

    def __init__(self, seed: object) -> None:
        self.chance = random.Random(f"writer {seed}")

    def noun(self) -> str:
        return self.chance.choice(_NOUNS)

    def nouns(self) -> str:
        noun = self.noun()
        if noun == "loaf":
            return "loaves"
        if noun[-1] == "y" and noun[-2] not in "aeo":
            return f"{noun[:-1]}ies"
        return f"{noun}es" if noun.endswith(("ch", "ss")) else f"{noun}s"

    def adjective(self) -> str:
        return self.chance.choice(_ADJECTIVES)

    def verb(self) -> str:
        """Return a transitive verb in the past tense."""
        return self.chance.choice(_VERBS)

    def place(self) -> str:
        """Return a name put together from syllables: tens of thousands are possible."""
        middle = "".join(self.chance.choices(_MIDDLES, k=self.chance.choice((0, 1, 1, 2))))
        return self.chance.choice(_STARTS) + middle + self.chance.choice(_ENDS)

    def name(self) -> str:
        return f"{self.place()} {self.place()}"

    def title(self) -> str:
        """Return a headline without a full stop."""
        shapes = (
            lambda: f"The {self.adjective()} {self.noun()} of {self.place()}",
            lambda: f"{self._article(self.adjective()).capitalize()} {self.noun()} for the {self.noun()}",
            lambda: f"{self.name()} and the {self.adjective()} {self.noun()}",
            lambda: f"How {self.place()} {self.verb()} the {self.noun()}",
            lambda: f"{self.number()} {self.nouns()}, one {self.adjective()} {self.noun()}",
            lambda: f"Why the {self.noun()} & the {self.noun()} belong together",
        )
        return self.chance.choice(shapes)()

    def number(self) -> int:
        return self.chance.randrange(2, 1000)

    def date(self) -> str:
        """Return a day of the years 2015 to 2025."""
        chance = self.chance
        return f"{chance.randrange(1, 29)} {chance.choice(_MONTHS)} {chance.randrange(2015, 2026)}"

    def identifier(self) -> str:
        """Return a name as programs have them."""
        return f"{self.verb()}_{self.noun()}"

    def sentence(self) -> str:
        """Return a sentence of about 5 to 25 words."""
        text = self.chance.choice(self._SHAPES)(self)
        return self._capital(text)

    def paragraph(self, sentences: int = 5) -> str:
        return " ".join(self.sentence() for _ in range(sentences))

    def _article(self, word: str) -> str:
        return f"an {word}" if word[0] in "aeiou" else f"a {word}"

    def _capital(self, text: str) -> str:
        return text[0].upper() + text[1:]

    def _thing(self) -> str:
        shapes = (
            lambda: f"the {self.noun()}",
            lambda: f"the {self.adjective()} {self.noun()}",
            lambda: f"{self._article(self.adjective())} {self.noun()}",
            lambda: f"{self.number()} {self.adjective()} {self.nouns()}",
            lambda: f"the {self.noun()} of {self.place()}",
            lambda: f"every {self.noun()} {self.chance.choice(_PLACED)} the {self.noun()}",
            lambda: f"the {self.chance.choice(_OWNERS)}’s {self.noun()}",
            lambda: f"several {self.nouns()} from {self.place()}",
        )
        return self.chance.choice(shapes)()

    def _somebody(self) -> str:
        """Return who does it: a person twice in five times, else a thing."""
        return self.name() if self.chance.random() < 0.4 else self._thing()

    def _clause(self) -> str:
        adverb = f"{self.chance.choice(_ADVERBS)} " if self.chance.random() < 0.25 else ""
        return f"{self._somebody()} {adverb}{self.verb()} {self._thing()}"

    def _when(self) -> str:
        return self.chance.choice(_TIMES if self.chance.random() < 0.6 else _MANNERS)

    _SHAPES = (
        lambda self: f"{self._clause()} {self._when()}.",
        lambda self: f"{self._clause()}, {self.chance.choice(_LINKS)} {self._clause()}.",
        lambda self: f"{self._when()}, {self._clause()}.",
        lambda self: f"{self.chance.choice(_OPENERS)} {self._clause()} {self._when()}.",
        lambda self: f"“{self._capital(self._clause())},” said {self.name()} — {self._when()}.",
        lambda self: f"who {self.verb()} {self._thing()} {self._when()}?",
        lambda self: f"{self._thing()} and {self._thing()} were {self.adjective()} but {self.adjective()}.",
        lambda self: f"it took {self.number()} days; {self._clause()} {self._when()}.",
        lambda self: f"the {self.noun()} that {self.name()} {self.verb()} was {self.adjective()}.",
        lambda self: (
            f"{self.place()} is {self.adjective()}, and its {self.noun()} {self.verb()} {self._thing()}."
        ),
        lambda self: f"no {self.noun()} was ever as {self.adjective()} as {self._thing()} {self._when()}.",
    )


def prose(seed: object, words: int = 60) -> str:
    """Return that many invented words, always the same for a seed."""
    chance = random.Random(str(seed))
    return " ".join(f"w{chance.randrange(10_000)}" for _ in range(words))
