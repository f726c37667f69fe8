"""Local and global template detection over an archive: the tables TEMPLATES and TEMPLATE_PAGELETS.

local   Figure 4: pagelets of one shingle are a template if they are on two pages or more
global  Figure 5: of those, each set of pages that links connect, in whatever direction, is a template

Both eliminate duplicate pages first.  A template is named by its shingle and its *root*, its smallest page.

Source: Bar-Yossef & Rajagopalan (WWW 2002), section 3.2; each relation of Figures 4 and 5 is a text in
``sql/`` of the same name.  Departures: the two pagelets of a template must be on two pages; groups of the
same pages are searched once; connected components by hooking and shortcutting instead of by breadth-first
search.  N pages, M links between them, K pagelets, d distinct groups of pages that a page is in.  Cost: O(K
log K + d M log(d M)), as printed, with d instead of d^2: a link between two pages is listed once for each
group that both are in.  Memory: DuckDB's own limit, and some numbers for each page of a bucket.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from templcrawl.errors import InvalidSnapshot
from templcrawl.outputs.archive.archive_parts import Archive
from templcrawl.outputs.archive.tables import LINKS, PAGELETS, PAGES
from templcrawl.tools.engines import BATCH_ROWS, Columns, Engine, Groups

Numbers = npt.NDArray[np.int64]

TEMPLATES, TEMPLATE_PAGELETS, HOST_SHARES = "templates", "template_pagelets", "host_shares"
METHODS = ("local", "global")
_NO_LINKS = np.empty(0, dtype=np.int64)


def detect_templates(engine: Engine, archive: Archive, method: str, *, min_links: int = 0) -> None:
    """Define TEMPLATES, TEMPLATE_PAGELETS, and the shares of Table 2: ``host_shares``, ``overall_shares``.

    Duplicate pages share a fourth of their content's sketch with a smaller page (at a resemblance of .85, 91
    % of all pairs do; at .7, 11 %; short contents must be equal).  A pair is missed only if more than 64
    smaller pages have each entry that it shares.  On 4,540 pages of saved sites these are 264, of which 170
    are duplicates by their full sketches, too.  A redirect is not a page: a link to it connects nothing.

    method     a key of ``METHODS``
    min_links  pagelets with fewer links are not template; 1 leaves the paper's definition for the crawl's
    Raises InvalidSnapshot if no part of the archive can be read.
    """
    if not archive.parts:
        raise InvalidSnapshot(archive.location.address(), "none of its parts can be read")
    for table in (PAGES, LINKS, PAGELETS):
        engine.read(table, archive.files(table))
    _define(engine, "sketch_holders", "first_duplicates", "duplicates", "distinct_pages")
    engine.define("distinct_pagelets", sql_text("distinct_pagelets").format(min_links=min_links))
    _define(engine, "template_shingles")
    if method == "global":
        _define(engine, "template_candidates", "shingle_groups", "group_pages", "page_links")
        engine.define("template_links", sql_text("template_links"), as_written=True)
        columns = dict.fromkeys(("shingle", "page", "root"), "bigint")
        for name in ("forests", "components"):
            links = Groups(sql_text(f"links_of_{name}"), by="bucket")
            engine.apply(f"template_{name}", links, _components, columns)
    engine.define(TEMPLATE_PAGELETS, sql_text(f"{method}_template_pagelets"))
    _define(engine, TEMPLATES, HOST_SHARES, "overall_shares")


def _define(engine: Engine, *names: str) -> None:
    for name in names:
        engine.define(name, sql_text(name))


def _components(pieces: Iterator[Columns]) -> Iterator[Columns]:
    """Figure 5, steps 4 and 5, for the groups of a bucket.

    The links of a group are searched in eight buckets of 256, and are read as they come; the roots that pages
    have got in them are joined then.

    A link from each page to its root stands for all links before: what waits is as much again at most.
    """
    found: Columns = {"shingle": _NO_LINKS, "page": _NO_LINKS, "root": _NO_LINKS}
    pending: list[Columns] = []
    for piece in pieces:
        pending.append(piece)
        if sum(len(links["a"]) for links in pending) >= max(BATCH_ROWS, len(found["page"])):
            found, pending = _connected(found, pending), []
    yield _connected(found, pending) if pending else found


def _connected(found: Columns, pending: Sequence[Columns]) -> Columns:
    links = [{"shingle": found["shingle"], "a": found["page"], "b": found["root"]}, *pending]
    return connected_components(
        *(np.concatenate([piece[column] for piece in links]) for column in ("shingle", "a", "b"))
    )


def connected_components(groups: Numbers, sources: Numbers, targets: Numbers) -> Columns:
    """Return the components of all groups at once, of two members or more, ordered by group, then by member.

    Source: Shiloach & Vishkin (J. Algorithms 1982): *hook* the root of each link's larger end below its
    smaller one, *shortcut* every path to its root, drop the links that have become inner ones, and again
    until none is left.  l links over n members.  Cost: O((n + l) log(n + l)) for numbering the members; a
    round is O(n + l), and there are few: the smallest member's label crosses a group in 2 to 4 of them on
    page graphs.  The memory is some ten numbers a link.

    groups            group of each link
    sources, targets  its two ends; members of different groups are different members
    Returns the "shingle" (group) and the "root" (smallest member) of each component that a "page" is in.

    >>> links = np.array([[7, 1, 2], [7, 3, 2], [9, 1, 4]])
    >>> connected_components(*links.T)["root"].tolist()
    [1, 1, 1, 1, 1]
    """
    distinct_groups, group = np.unique(groups, return_inverse=True)
    distinct, end = np.unique(np.concatenate((sources, targets)), return_inverse=True)
    width = max(1, len(distinct))
    numbered = np.concatenate((group, group)) * width + end
    nodes, node_of_end = np.unique(numbered, return_inverse=True)
    roots = _roots(node_of_end[: len(sources)], node_of_end[len(sources) :], len(nodes))
    is_linked = np.bincount(roots, minlength=len(nodes))[roots] > 1
    members, roots = nodes[is_linked], nodes[roots[is_linked]]
    return {
        "shingle": distinct_groups[members // width],
        "page": distinct[members % width],
        "root": distinct[roots % width],
    }


def _roots(sources: Numbers, targets: Numbers, count: int) -> Numbers:
    """Return node -> the smallest node of its component, for nodes 0 to ``count`` - 1."""
    roots = np.arange(count)
    while len(sources):
        a, b = roots[sources], roots[targets]
        is_open = a != b
        sources, targets, a, b = sources[is_open], targets[is_open], a[is_open], b[is_open]
        np.minimum.at(roots, np.maximum(a, b), np.minimum(a, b))
        while True:
            above = roots[roots]
            if np.array_equal(above, roots):
                break
            roots = above
    return roots


@cache
def sql_text(name: str) -> str:
    """Return a SQL text, with its ``{parameters}``.

    >>> sql_text("template_candidates").splitlines()[0]
    '-- Figure 5, step 2: the pagelets whose shingle re-occurs.'
    """
    return (files("templcrawl.tools.detection") / "sql" / f"{name}.sql").read_text(encoding="utf-8")
