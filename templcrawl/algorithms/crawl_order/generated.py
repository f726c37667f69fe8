"""Detection of generated pages (mazes): classes of links whose pages pay, but repeat no earlier link.

A page *leads on* if it has several links to other pages of its site, and no earlier page has any of its
links: no menu, no way back, no page that another one names too.  A page of a maze of random text does, since
its addresses are made for it alone.  A page of a site has a menu.

    generated  of n >= M pages of a class since the first that leads on, at least a share x lead on

x = .9, M = 10.  Pages that pay next to nothing are left to :mod:`templcrawl.algorithms.crawl_order.endless`.
A link of such a class is worth nothing, so that it waits for all others, and a page of it that leads on pays
nothing.  A class looks generated no longer once more of its pages have a link that an earlier page has.  So a
false alarm costs the place in the queue, for a while.  A maze that puts the menu of its site on each page is
not found.

Behind the default order a maze in each of eight saved sites took .07 of as many requests as the site has
pages, at most .13.  On 74 saved sites of at most 200 pages, read in that order, no class
came to five pages that count here: but for the first page of a site, hardly any leads on.

Source: ours, for mazes against crawlers, whose words are new and so pay.  Cost: O(1) a class.
"""

from __future__ import annotations

LEAST_LINKS = 3
LEAST_PAGES = 10
LEADS_ON_SHARE = 0.9


def looks_generated(pages: int, leading: int) -> bool:
    """Return whether a class of links looks generated.

    pages    that its links led to, since the first that leads on
    leading  of these, how many lead on

    >>> looks_generated(10, 9), looks_generated(10, 8), looks_generated(9, 9)
    (True, False, False)
    """
    return pages >= LEAST_PAGES and leading >= LEADS_ON_SHARE * pages
