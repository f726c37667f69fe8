"""What does MinHash save of TEXT-MDL, and what does it cost?

Source: Prathibha, Sukumar & Sriram (IJERT 2012), after Kim & Shim (TKDE 2011); the paper prints no figures.
The documents are pages of saved sites, by their essential paths, drawn by hash: so many of all pages that
have a page type.  Their class is the page type of their site.

TEXT-MDL   exact: the pair of clusters that makes the description shortest is joined
TEXT-HASH  the same of all pairs, with estimates from signatures of 128 permutations
TEXT-MAX   the same of nearest pairs alone

ARI        with the classes; *of exact* with the clusters of TEXT-MDL
CPU        seconds, of the signatures and the clustering; the paths are there

TEXT-MDL and TEXT-HASH are cubic in the pages, and left out above ``MAX_EXACT`` and ``MAX_HASHED`` of them.
Cost: some 5 minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from time import process_time

from rich.table import Table
from xxhash import xxh3_64_intdigest

from lab.bench.measures import score_clusters
from lab.bench.options import new_parser
from lab.bench.saved_sites import read_sites
from lab.bench.tables import report, table_of
from templcrawl.algorithms.page_types.mdl_minhash import mdl_minhash
from templcrawl.algorithms.page_types.text_mdl import essential_paths, page_paths, text_mdl
from templcrawl.page.arrays import Keys

COUNTS = (50, 100, 200, 400, 800, 1600)  # pages
MAX_EXACT, MAX_HASHED = 800, 800
METHODS: dict[str, tuple[int, Callable[[Sequence[Keys]], list[int]]]] = {
    "TEXT-MDL": (MAX_EXACT, text_mdl),
    "TEXT-HASH": (MAX_HASHED, partial(mdl_minhash, all_pairs=True)),
    "TEXT-MAX": (COUNTS[-1], mdl_minhash),
}


def rows_of(paths: Sequence[Keys], classes: Sequence[Hashable]) -> list[list[str]]:
    """Return a row of each method for some pages."""
    documents = essential_paths(paths)
    exact: list[int] | None = None
    rows = []
    for name, (most, cluster) in METHODS.items():
        if len(documents) > most:
            continue
        started = process_time()
        found = cluster(documents)
        seconds = process_time() - started
        exact = found if cluster is text_mdl else exact
        of_exact = f"{score_clusters(found, exact).ari:.3f}" if exact is not None else ""
        score = score_clusters(found, classes)
        count = [str(len(documents)), name, str(len(set(classes))), str(len(set(found)))]
        rows.append([*count, f"{score.ari:.3f}", f"{score.purity:.3f}", of_exact, f"{seconds:.2f}"])
    return rows


def methods_table(pages: Sequence[tuple[Keys, Hashable]]) -> Table:
    """Return how well and how fast each method clusters the first pages of some, by their number."""
    rows = []
    for count in [count for count in COUNTS if count <= len(pages)] or [len(pages)]:
        rows += rows_of(*zip(*pages[:count]))
    heads = ["pages", "method", "classes", "clusters", "ARI", "purity", "ARI of exact", "CPU"]
    return table_of("Clusters by description length", heads, rows, left=2)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.papers.description_length", __doc__, "--corpora! --pages=60 --figures")
    options = parser.parse_args(arguments)
    drawn = []
    for site in read_sites(options.corpora, options.pages):
        for page, kind in zip(site.pages, site.types):
            if kind is not None:
                key = xxh3_64_intdigest(f"{site.name} {page.url}".encode())
                drawn.append((key, page_paths(page), (site.name, kind)))
    if not drawn:
        parser.error("no pages with a type in the folder")
    drawn.sort(key=lambda one: one[0])
    report({"clusters": methods_table([(paths, kind) for _, paths, kind in drawn])}, options.figures)


if __name__ == "__main__":
    main()
