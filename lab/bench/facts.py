"""How many facts of a page does a method keep, and how much of what its page type repeats?

Both are shares of what stands inside the container that a site's gold names.

*Facts* are short texts that no other page of the site has: the value of a table's row, of a ``dt``, of a line
"label: value", with its label; or a short cell, list item or paragraph by itself, unless most of it is links.
A fact is retained if its label and its value follow each other in the answer, word by word.

*Furniture* is what stands on at least four fifths of the pages of a page type, five at least: a block with
all its text.  It counts by its words.  Less is better, though the container's gold has it.  For what is to
strip it (``TEMPLCRAWL_TEMPLATE_OF = "page type"``), the gold is that of the container less its furniture, as
often as the page has it: "Add to cart" stands below each of twelve lamps.

A *block* is an element that shows text and holds no block.  The types of pages come with the saved site.
w words of a page, d levels of its elements.  Cost: O(w d) to read them, O(w) a fact to look it up.
Imported by benchmarks, not run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from lab.bench.measures import Score, score
from lab.bench.saved_sites import SEEN, Words, word_list, words_of

MAX_LABEL_WORDS = 6
MAX_FACT_WORDS = 12
SHARED = 0.8
MIN_PAGES = 5
MAX_BESIDE = 6  # children of an element of a label and its value, line breaks and icons included

_BLOCKS = frozenset(
    """address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol p pre section summary table tbody td tfoot
    th thead tr ul""".split()
)
_LABELS = frozenset("h1 h2 h3 h4 h5 h6 th dt caption figcaption legend summary".split())
_HIDDEN = frozenset("script style noscript template head".split())

Node = Any
"""An element as lxml has it, which has no types."""


class Block(NamedTuple):
    """A short text, or one of any length, of which only ``value`` is set.

    label, value  their words, with a blank between them
    is_linked     whether more than half of its words stand in links
    is_label      whether its element is for a label or a heading
    beside        words of the block that it shares an element with, which holds no third
    """

    label: str
    value: str
    is_linked: bool
    is_label: bool = False
    beside: str = ""

    @property
    def words(self) -> str:
        """Both, one after the other."""
        return f"{self.label} {self.value}".strip()


def blocks_of(containers: Iterable[Node]) -> list[Block]:
    """Return the blocks inside the containers of a page, in order; a row or ``dt`` and ``dd`` are one.

    >>> from lxml import html
    >>> page = html.fromstring("<div><p>Code: A 1</p><table><tr><th>Size<td>4 cm</table></div>")
    >>> [block[:2] for block in blocks_of([page])]
    [('Code', 'A 1'), ('Size', '4 cm')]
    """
    return [block for container in containers for block in _walk(container) if block.value]


def _walk(container: Node) -> Iterator[Block]:
    taken: set[Node] = set()
    for node in container.iter():
        if node in taken or not isinstance(node.tag, str) or node.tag in _HIDDEN:
            taken.update(node)
        elif node.get("hidden") is not None or "display:none" in node.get("style", "").replace(" ", ""):
            taken.update(node.iter())
        elif pair := _pair(node):
            for member in pair:
                taken.update(member.iter())
            yield from _labelled(pair)
        elif (node.tag in _BLOCKS or node is container) and not _holds_blocks(node):
            taken.update(node.iter())
            line = _line(node)
            yield line._replace(is_label=node.tag in _LABELS, beside=_beside(node, container))


def _beside(node: Node, container: Node) -> str:
    """Return the words of the one block beside a block in its parent; "" if there is none, or more."""
    parent = node.getparent()
    if node is container or len(parent) > MAX_BESIDE or (parent.text or "").strip():
        return ""
    others = [child for child in parent if child is not node and isinstance(child.tag, str)]
    lines = [line for line in map(_line, others) if line.value]
    is_bare = not any((child.tail or "").strip() for child in parent)
    return lines[0].words if len(lines) == 1 and is_bare else ""


def _pair(node: Node) -> list[Node]:
    """Return the cells of a row, or a ``dt`` and its ``dd``; nothing for what is no such thing."""
    if node.tag == "tr":
        cells = [cell for cell in node if cell.tag in ("td", "th")]
        return cells if len(cells) > 1 and not any(cell.find(".//tr") is not None for cell in cells) else []
    after = node.getnext() if node.tag == "dt" else None
    return [node, after] if after is not None and after.tag == "dd" and not _holds_blocks(after) else []


def _labelled(cells: Sequence[Node]) -> Iterator[Block]:
    lines = [line for line in map(_line, cells) if line.value]
    texts = [line.words for line in lines]
    value = " ".join(texts[1:])
    if texts and len(texts[0].split()) <= MAX_LABEL_WORDS and 0 < len(value.split()) <= MAX_FACT_WORDS:
        is_label = all(cell.tag in _LABELS for cell in cells)
        yield Block(texts[0], value, all(line.is_linked for line in lines), is_label)
    else:
        yield from lines


def _holds_blocks(node: Node) -> bool:
    return any(child.tag in _BLOCKS for child in node.iterdescendants())


def _line(node: Node) -> Block:
    pieces = node.xpath(SEEN)
    linked = sum(
        len(word_list(piece)) for piece in pieces if any(above.tag == "a" for above in _around(piece))
    )
    is_linked = 2 * linked > len(word_list(" ".join(pieces)))
    head, colon, tail = "".join(pieces).partition(":")
    label, value = word_list(head), word_list(tail)
    if colon and value and 0 < len(label) <= MAX_LABEL_WORDS and tail[:1].isspace():
        return Block(" ".join(label), " ".join(value), is_linked)
    return Block("", " ".join(label + value), is_linked)


def _around(piece: Any) -> Iterator[Node]:
    parent = piece.getparent() if piece.is_text else piece.getparent().getparent()
    if parent is not None:
        yield parent
        yield from parent.iterancestors()


class Wanted(NamedTuple):
    """What is looked up in the answer about a page: words, with a blank between them.

    furniture  its texts, and how often the page has each
    labels     the texts that a page type repeats and that count neither for nor against, likewise
    """

    facts: frozenset[str]
    furniture: Counter[str]
    labels: Counter[str]


def wanted_of(pages: Sequence[Sequence[Block]], types: Sequence[Hashable | None]) -> list[Wanted]:
    """Return the facts, the furniture and the labels of each page of a site.

    types  page -> its type; None where it has none, and so no furniture

    >>> lines = [Block("", "Add to cart", False), Block("", "Details", False, is_label=True)]
    >>> pages = [[Block("Code", f"A {n}", False), *lines] for n in range(5)]
    >>> [sorted(found) for found in wanted_of(pages, ["product"] * 5)[0]]
    [['Code A 0'], ['Add to cart'], ['Details']]
    """
    texts = [{block.words for block in page} for page in pages]
    having = Counter(text for page in texts for text in page)
    sizes = Counter(types)
    of_type = Counter((kind, text) for kind, page in zip(types, texts) for text in page)
    found = []
    for kind, page in zip(types, pages):
        facts = frozenset(
            block.words
            for block in page
            if having[block.words] == 1 and not block.is_linked and len(block.value.split()) <= MAX_FACT_WORDS
        )
        least = (
            max(SHARED * sizes[kind], 1) if kind is not None and sizes[kind] >= MIN_PAGES else len(pages) + 1
        )
        repeated = {text for text in {block.words for block in page} if of_type[kind, text] >= least}
        furniture, labels = Counter[str](), Counter[str]()
        for block in page:
            if block.words in repeated:
                (labels if _is_label(block, repeated) else furniture)[block.words] += 1
        found.append(Wanted(facts, furniture, labels))
    return found


def _is_label(block: Block, repeated: Container[str]) -> bool:
    is_of_value = block.beside and block.beside not in repeated
    return block.is_label or bool(is_of_value and len(block.words.split()) <= MAX_LABEL_WORDS)


def share_of_facts(answer: str, facts: Iterable[str]) -> float | None:
    """Return the share of facts that an answer has, None if there are none.

    >>> share_of_facts("Code\\nA 1\\nSize 4", ["Code A 1", "Size 5"])
    0.5
    """
    text = f" {' '.join(word_list(answer))} "
    found = [f" {fact} " in text for fact in facts]
    return sum(found) / len(found) if found else None


def share_of_furniture(answer: str, furniture: Iterable[str]) -> float | None:
    """Return the share of the words of furniture that an answer has, None if there are none."""
    text = f" {' '.join(word_list(answer))} "
    sizes = {words: len(words.split()) for words in furniture}
    total = sum(sizes.values())
    return sum(size for words, size in sizes.items() if f" {words} " in text) / total if total else None


def remove_furniture(gold: Words, furniture: Counter[str]) -> Words:
    """Return the words of a gold less those of furniture, as often as it stands on the page.

    >>> sorted(remove_furniture(words_of("tea tea tea cup"), Counter(["cup", "tea", "tea"])).items())
    [('tea', 1)]
    """
    left = gold.copy()
    for text, times in furniture.items():
        for word, count in words_of(text).items():
            left[word] -= times * count
    return +left


def own_score(words: Words, gold: Words, wanted: Wanted, least: int = 1) -> Score | None:
    """Return the score of an answer against the gold less the furniture of its page.

    The words of labels are asked for by nobody; an answer may have them.  None if the page has neither
    furniture nor labels, or fewer than ``least`` words are left of the gold.

    >>> wanted = Wanted(frozenset(), Counter(["buy"]), Counter(["Details"]))
    >>> own_score(words_of("Details tea buy"), words_of("Details tea buy"), wanted)
    Score(precision=0.5, recall=1.0, f1=0.6666666666666666)
    """
    if not wanted.furniture and not wanted.labels:
        return None
    own = remove_furniture(gold, wanted.furniture + wanted.labels)
    if own.total() < least:
        return None
    allowed = Counter(word for text, times in wanted.labels.items() for word in word_list(text) * times)
    return score(words - (allowed & (words - own)), own)
