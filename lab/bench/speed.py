"""How fast are fingerprint and sandwich beside others, and where does the time of a page go?

    python -m lab.bench.speed [--folder FOLDER]

What the process knows of tags and runs from earlier pages is forgotten before each round, so that no page is
met twice; the page types and the index of fingerprints begin anew, so that refits are in the figures.

Cost: three to seven rounds over each set of pages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

import lxml.html
from rich.table import Table

from lab.bench.options import add_saved, new_parser
from lab.bench.page_sets import LARGE, SMALL, generated, saved
from lab.bench.tables import show
from lab.bench.timing import side_by_side
from templcrawl import CrawlMemory, Page, partition_pagelets, sandwich, template_fingerprint
from templcrawl.algorithms.extraction.sandwich import TOKENS
from templcrawl.algorithms.fingerprints.fingerprint import FingerprintIndex
from templcrawl.algorithms.similarity.shingles import combine, sketch
from templcrawl.memory.detectors.sample_vote import Vote
from templcrawl.memory.leaves import Leaves
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.place import ALONE
from templcrawl.page import render, text, tokens
from templcrawl.page.scan import cut
from templcrawl.page.separation import Separation
from templcrawl.page.text import Memo

Pages = list[tuple[str, str]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables for each set of pages."""
    parser = new_parser("lab.bench.speed", __doc__)
    add_saved(parser)
    folder = parser.parse_args(arguments).folder
    sets = {"saved": saved(folder)} if folder else {"small": generated(SMALL), "large": generated(LARGE)}
    for name, pages in sets.items():
        size = sum(len(html) for _, html in pages) / len(pages) / 1000
        title = f"{name} pages: {len(pages)} of {size:.0f} KB"
        fingerprints(title, pages)
        sandwiches(title, pages)
        stages(title, pages)


def _parse(html: str) -> object:
    return lxml.html.document_fromstring(html.encode("utf-8", "replace"))


def _print(title: str, unit: str, times: dict[str, float], base: str) -> None:
    table = Table("", "ms " + unit, unit + "s a second", f"time of {base} / this", title=title)
    for name, milliseconds in times.items():
        ratio = f"{times[base] / milliseconds:.1f}"
        table.add_row(name, f"{milliseconds:.3f}", f"{1000 / milliseconds:,.0f}", ratio)
    show(table)


def fingerprints(title: str, pages: Pages) -> None:
    """Template fingerprints beside a parse and a full tokenising of the same pages."""
    ways: dict[str, Callable[[str], object]] = {
        "lxml parse": _parse,
        "full tokenising": lambda html: Page(html, "").tokens,
        "fingerprint": template_fingerprint,
    }
    _print(f"Fingerprint, {title}", "page", side_by_side(ways, [html for _, html in pages]), "lxml parse")


def sandwiches(title: str, pages: Pages) -> None:
    """The sandwich beside difflib, on the token streams of consecutive pages."""
    views = [TOKENS.keys(Page(html, url)).tolist() for url, html in pages]
    pairs = list(zip(views[1:], views))[:12]
    ways: dict[str, Callable[[tuple[list[int], list[int]]], object]] = {
        "difflib": lambda pair: SequenceMatcher(None, *pair, autojunk=False).get_opcodes(),
        "difflib, autojunk": lambda pair: SequenceMatcher(None, *pair).get_opcodes(),
        "sandwich": lambda pair: sandwich(*pair),
    }
    size = sum(map(len, views)) / len(views)
    _print(f"Sandwich, {title}, {size:.0f} tokens", "pair", side_by_side(ways, pairs, 3), "difflib")


def invalidate() -> None:
    """Forget what the process knows of tags and runs."""
    for module in (render, text, tokens):
        for value in vars(module).values():
            if isinstance(value, Memo):
                value.clear()


def stages(title: str, pages: Pages) -> None:
    """Where the time of a page goes; each stage works on what the stages before it left."""
    ready = [Page(html, url) for url, html in pages]
    for page in ready:
        page.terms, page.tokens.keys, page.text_runs  # noqa: B018
    numbered = range(len(pages))
    views = [TOKENS.keys(page) for page in ready]
    whole = [Separation(page, [(0, len(page.tokens))]) for page in ready]

    def without(*names: str) -> Callable[[int], Page]:
        def page(number: int) -> Page:
            for name in names:
                ready[number].__dict__.pop(name, None)
            return ready[number]

        return page

    memory = CrawlMemory(sample_salt=0)
    vote = Vote(MemoryOptions())
    features = [page.structure for page in ready]
    fingerprints = [template_fingerprint(html) for _, html in pages]
    leaves, index = Leaves(), FingerprintIndex()

    def restart() -> None:
        nonlocal leaves, index
        leaves, index = Leaves(), FingerprintIndex()
        invalidate()

    ways: dict[str, Callable[[int], object]] = {
        "lxml parse, for comparison": lambda n: _parse(pages[n][1]),
        "cut": lambda n: cut(pages[n][1]),
        "tokens (with cut)": lambda n: without("tokens")(n).tokens,
        "elements": lambda n: without("elements")(n).elements,
        "links": lambda n: without("links")(n).links,
        "terms": lambda n: without("terms")(n).terms,
        "shingles and sketch": lambda n: sketch(combine(ready[n].terms.hashes)),
        "pagelets": lambda n: partition_pagelets(ready[n]),
        "fingerprint": lambda n: template_fingerprint(pages[n][1]),
        "index of fingerprints": lambda n: index.add(fingerprints[n]),
        "structure features": lambda n: without("structure")(n).structure,
        "leaves": lambda n: leaves.learn(features[n]),
        "token keys": lambda n: (ready[n].tokens.__dict__.pop("keys", None), TOKENS.keys(ready[n])),
        "sandwich": lambda n: TOKENS.filling(ready[n], views[n], views[n - 1]),
        "text_runs": lambda n: without("text_runs")(n).text_runs,
        "sample": lambda n: vote.update(vote.query(ready[n], ALONE)),
        "vote (with asking the sample)": lambda n: vote.classify(vote.query(ready[n], ALONE)),
        "observe (all but the sandwich)": lambda n: memory.observe(Page(pages[n][1], pages[n][0])),
        "content as text": lambda n: (whole[n].__dict__.pop("content_text", None), whole[n].content_text),
        "content as HTML": lambda n: (whole[n].__dict__.pop("content_html", None), whole[n].content_html),
    }
    times = side_by_side(ways, numbered, 5, before=restart)
    table = Table("", "ms a page", "share of observe", title=f"Where the time goes, {title}")
    for name, milliseconds in times.items():
        share = milliseconds / times["observe (all but the sandwich)"]
        table.add_row(name, f"{milliseconds:.3f}", f"{100 * share:.0f} %")
    show(table)


if __name__ == "__main__":
    main()
