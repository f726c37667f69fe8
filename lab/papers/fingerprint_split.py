"""Where should the index cut fingerprints?  Hachenberg & Gottron's Figure 2, on saved sites.

Source: Hachenberg & Gottron (CIKM 2013), section 3.4 and Figure 2.  The first entries of a fingerprint vary
little, so a cut in the middle makes heads that very many pages share; the paper takes the position at which
the entropies of head and tail meet, l = 17 on its pages.  H(head) and H(tail), in bits, are over the pages of
all sites together, counted two ways:

pages     each page once, as in the paper
distinct  each fingerprint once, as it stands in the index; the large templates do not outweigh the rest

Departure: the paper's pages are of one site each, ours are up to 200 of a site, so few templates are
very frequent and the entropies are lower.

Cost: O(pages * length); without ``--pages`` every saved page is read.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log2
from typing import NamedTuple

from rich.table import Table

from lab.bench.options import new_parser
from lab.bench.saved_sites import read_sites
from lab.bench.tables import report, table_of
from templcrawl.algorithms.page_types.fingerprint import FINGERPRINT_LENGTH, template_fingerprint


class Cut(NamedTuple):
    """The entropies of the two parts at one cut; the head has ``split`` entries."""

    split: int
    head: float
    tail: float


Entropies = dict[str, list[Cut]]
"""How fingerprints are counted -> the entropies by cut."""


def entropy_by_cut(fingerprints: Iterable[bytes], *, length: int = FINGERPRINT_LENGTH) -> list[Cut]:
    """Return the entropies for every cut from 1 to ``length`` - 1; fingerprints count as often as they come.

    >>> for cut in entropy_by_cut([bytes([0, 1, 5]), bytes([0, 2, 6])], length=3):
    ...     print(cut)
    Cut(split=1, head=0.0, tail=1.0)
    Cut(split=2, head=1.0, tail=1.0)
    """
    counted = Counter(fingerprints)
    return [
        Cut(at, _entropy(counted, slice(0, at)), _entropy(counted, slice(at, None)))
        for at in range(1, length)
    ]


def _entropy(counted: Counter[bytes], part: slice) -> float:
    parts: Counter[bytes] = Counter()
    for fingerprint, times in counted.items():
        parts[fingerprint[part]] += times
    total = parts.total()
    return 0.0 + sum(times / total * log2(total / times) for times in parts.values())


def balanced(cuts: Sequence[Cut]) -> int:
    """Return the cut at which the two entropies are nearest to each other; the later one of two equals.

    >>> balanced([Cut(1, 0.5, 3.0), Cut(2, 2.0, 2.1), Cut(3, 3.0, 1.0)])
    2
    """
    return min(cuts, key=lambda cut: (abs(cut.head - cut.tail), -cut.split)).split


def entropy_table(title: str, entropies: Entropies) -> Table:
    """Return the entropies as a table, a row a cut; the balanced cuts are marked."""
    rows = []
    for row in zip(*entropies.values()):
        cells = [str(row[0].split)]
        for cuts, cut in zip(entropies.values(), row):
            mark = " *" if cut.split == balanced(cuts) else ""
            cells += [f"{cut.head:.3f}", f"{cut.tail:.3f}{mark}"]
        rows.append(cells)
    heads = [f"{part}, {name}" for name in entropies for part in ("head", "tail")]
    return table_of(title, ["l", *heads], rows, left=0)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser(
        "lab.papers.fingerprint_split", __doc__, f"--corpora! --pages={sys.maxsize} --figures"
    )
    options = parser.parse_args(arguments)
    sites = read_sites(options.corpora, options.pages)
    fingerprints = [template_fingerprint(page.text) for site in sites for page in site.pages]
    if not fingerprints:
        parser.error("no sites in the folder")
    distinct = set(fingerprints)
    entropies = {"pages": entropy_by_cut(fingerprints), "distinct": entropy_by_cut(distinct)}
    title = f"Entropy of head and tail, bits: {len(fingerprints):,} pages, {len(distinct):,} fingerprints"
    report({"split": entropy_table(title, entropies)}, options.figures)
    for name, cuts in entropies.items():
        print(f"Balanced over {name}: l = {balanced(cuts)}")


if __name__ == "__main__":
    main()
