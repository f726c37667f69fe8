"""The links of a key page to its site, those of the menu first.

A page's menu has one of its highest shares of links among its nodes, so it can be found on the page itself
(Alarte, Insa, Silva, Tamarit 2014, section 6, as future work).  Here each element with at least ``LEAST``
links has a *ratio*, of the links in it to the nodes in it (elements and text runs), in fifths: what is finer
tells long lists from short ones, not menus from lists.  A link has the highest ratio of the elements around
it; links come by that ratio, then in document order.  Links outside of such elements come last.

Links lead to other pages of the same host; of several to one page the first counts.  m nodes.  Cost: O(m),
and a sort of the links.
"""

from __future__ import annotations

import numpy as np

from templcrawl.page.addresses import host_of
from templcrawl.page.nodes import Nodes
from templcrawl.page.page import Page

LEAST = 4
"""Links that make an element a possible menu: pages sought of a complete subdigraph."""


def site_links(page: Page) -> list[int]:
    """Return the links of a page to other pages of its host, the first to each page: numbers of links.

    >>> page = Page("<a href=/b>B</a><a href=/a>A</a><a href=/b#c>B</a><a href=//x.org/>X</a>", "http://e.org/a")
    >>> [page.links.urls[number] for number in site_links(page)]
    ['http://e.org/b']
    """
    host = page.host
    own = page.url.partition("#")[0]
    first: dict[str, int] = {}
    for number, url in enumerate(page.links.urls):
        if url != own and url not in first and host_of(url) == host:
            first[url] = number
    return list(first.values())


def menu_order(tree: Nodes, links: list[int], *, least: int = LEAST) -> list[int]:
    """Return the same links, those first that stand where links are densest.

    tree   nodes of the page
    links  numbers of links of that page

    >>> menu = "".join(f"<li><a href={n}>{n}</a>" for n in range(4))
    >>> page = Page(f"<p>See<br><br><br><a href=z>z</a><br><br></p><ul>{menu}</ul>", "http://e.org/")
    >>> menu_order(Nodes(page), [0, 1, 2, 3, 4])
    [1, 2, 3, 4, 0]
    """
    page = tree.page
    node_of = np.zeros(len(page.elements), dtype=np.intp)
    is_element = ~tree.texts
    node_of[tree.elements[is_element]] = np.flatnonzero(is_element)
    nodes = node_of[[page.links.elements[number] for number in links]]
    counts = np.concatenate(([0], np.cumsum(np.bincount(nodes, minlength=len(tree)))))
    inside = counts[tree.stops] - counts[:-1]
    sizes = tree.stops - np.arange(len(tree))
    ratios = np.where(inside >= least, np.round(5 * inside / sizes), 0.0).tolist()
    for node, parent in enumerate(tree.parents.tolist()):
        if parent >= 0:
            ratios[node] = max(ratios[node], ratios[parent])
    highest = {number: ratios[node] for number, node in zip(links, nodes.tolist())}
    return sorted(links, key=lambda number: (-highest[number], number))
