"""How many pages of a site must an attacker own before its other pages lose their content?

A generated site has 100 pages under one frame, some of them an attacker's.  Each of the others has eight
paragraphs; the attacker writes these on every page of his, at the same path, so that the vote takes them for
template: all but the last one of each page, or all but the last four, whichever does more harm.  (What is
left is for a page that would keep too little: it is judged again by what is certain, then by itself alone.)
Of so many variants of each page, told apart by a number in a text, he publishes the one with the smallest
hash, which a sample keeps most likely, under the salt that he believes in:

known    the crawl's own salt
unknown  another one

All pages are crawled in an order by chance, then every page of the others is judged again.  Printed is,
by pages owned, the share of their words that is lost, on average over the draws.

Cost: up to 20 s for each number of pages owned, salt and draw.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from lab.bench.options import add_number, new_parser
from lab.bench.tables import show, table_of
from templcrawl import CrawlMemory, Page
from templcrawl.memory.detectors.page_sample import PageSample

PAGES = 100
PARAGRAPHS, WORDS = 8, 30
LEFT = (1, 4)
VARIANTS = 1_000
OWNED = (0, 5, 8, 10, 12, 13, 14, 15, 16, 17, 20, 40, 60, 70, 80, 85, 90, 95)

_SITE = "http://poisoned.example"
_MENU = "".join(f"<li><a href=/{n}>Part {n} of the site</a></li>" for n in range(12))
_FOOT = "<div class=foot>Written by its readers, all rights reserved</div>"


@dataclass(frozen=True, order=True)
class Outcome:
    """What an attack has done.

    lost     share of the words of the other pages that is not in their content
    emptied  share of the other pages that lost more than half of them
    """

    lost: float
    emptied: float


def paragraphs(number: int) -> list[str]:
    """Return the paragraphs of one of the other pages; no two of the site are equal."""
    return [" ".join(f"w{number}x{part}x{word}" for word in range(WORDS)) for part in range(PARAGRAPHS)]


def page_of(name: str, texts: Sequence[str]) -> Page:
    """Return a page of the site."""
    body = "".join(f"<p>{text}</p>" for text in texts)
    return Page(
        f"<html><body><ul class=menu>{_MENU}</ul><main>{body}</main>{_FOOT}</body></html>", f"{_SITE}/{name}"
    )


def attackers_pages(owned: int, others: Sequence[Sequence[str]], salt: int, left: int) -> list[Page]:
    """Return the pages of an attacker who believes in a salt, each the best of its variants.

    left  paragraphs of each page that he does not copy
    """
    copied = [text for texts in others for text in texts[:-left]]
    sample = PageSample(size=1, salt=salt)
    shared = page_of("shared", copied).text_runs.keys
    pages = []
    for number in range(owned):
        marks = [f"edition {number} {variant}" for variant in range(VARIANTS)]
        of_marks = page_of("marks", marks).text_runs.keys[-1 - VARIANTS : -1]
        hashes = [sample.read(np.append(shared, key)).hash for key in of_marks]
        mark = marks[hashes.index(min(hashes))]
        pages.append(page_of(f"owned{number}", [*copied, mark]))
    return pages


def attack(owned: int, *, salt: int, believed: int, left: int, seed: int = 0) -> Outcome:
    """Crawl a site of which an attacker owns so many pages.

    salt      the crawl's
    believed  what the attacker takes it for
    left      paragraphs of each page that he does not copy
    """
    others = [paragraphs(number) for number in range(PAGES - owned)]
    pages = [page_of(str(number), texts) for number, texts in enumerate(others)]
    arriving = [*pages, *attackers_pages(owned, others, believed, left)]
    random.Random(f"{seed} {owned}").shuffle(arriving)
    memory = CrawlMemory(sample_salt=salt)
    separations = {page.url: memory.observe(page) for page in arriving}
    lost = []
    for page, texts in zip(pages, others):
        kept = set(memory.reclassify(separations[page.url]).content_text.split())
        words = " ".join(texts).split()
        lost.append(sum(word not in kept for word in words) / len(words))
    return Outcome(fmean(lost), fmean(share > 0.5 for share in lost))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.poisoning", __doc__)
    add_number(parser, "--draws", 3, "salts and orders")
    parser.add_argument("--owned", metavar="N", type=int, nargs="*", default=OWNED, help="pages owned")
    options = parser.parse_args(arguments)
    rows = []
    for owned in options.owned:
        figures: list[str] = []
        for wrong in (0, 1):
            draws = [
                max(attack(owned, salt=salt, believed=salt + wrong, left=left, seed=salt) for left in LEFT)
                for salt in range(1, 2 * options.draws, 2)
            ]
            lost, emptied = fmean(draw.lost for draw in draws), fmean(draw.emptied for draw in draws)
            figures += [f"{lost:.1%}", f"{emptied:.0%}"]
        rows.append((owned, *figures))
        print(f"{owned} pages owned: done", file=sys.stderr, flush=True)
    heads = ("owned", "known: words lost", "pages", "unknown: words lost", "pages")
    show(table_of("What the others lose", heads, rows))


if __name__ == "__main__":
    main()
