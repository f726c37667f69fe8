"""Helpers of the spider that ``scrapy tables --spider`` writes; its code is copied into the spider.

Cost: O(length of what is selected).
"""

# mypy: allow-untyped-defs, allow-untyped-calls
import re
from copy import deepcopy
from itertools import chain

from lxml.etree import iterwalk
from parsel import Selector

from templcrawl.algorithms.columns.separators import trimmed


def words(root, skipped=()):
    """Return the text of an element, or a text: with single spaces, and one where a line or a block ends.

    skipped  elements in it that are left out, with all in them
    """
    if isinstance(root, str):
        return " ".join(root.split())
    if not isinstance(root.tag, str):  # a comment
        return ""
    parts = []
    for event, one in iterwalk(root, events=("start", "end", "comment", "pi")):
        is_text = isinstance(one.tag, str) and one.tag not in SILENT and one not in skipped
        gap = "" if one.tag in INLINE or not isinstance(one.tag, str) else " "
        if event == "start":
            parts += [gap, (one.text or "") if is_text else ""]
        elif one is not root:
            parts += [gap, (one.tail or "") if one.getparent() not in skipped else ""]
    return " ".join("".join(parts).split())


def texts(part, xpath, regex="(.+)", but=(), form=trimmed, skipped=()):
    """Return the texts that an XPath selects, without separators at their ends; the group of the regex."""
    found = []
    for one in part.xpath(xpath):
        whole = form(words(one.root, skipped))
        match = re.search(regex, whole)
        if match and match[1] and match[1] not in but:
            found.append(match[1])
    return found


def text(part, xpath, regex="(.+)", but=()):
    """Return the first of these texts, None without one."""
    return next(iter(texts(part, xpath, regex, but)), None)


def joined(part, xpath, without="", but=()):
    """Return all texts that an XPath selects as one, without what another selects in them."""
    skipped = {one for each in part.xpath(without) for one in each.root.iter()} if without else ()
    return " ".join(texts(part, xpath, but=but, form=str, skipped=skipped)) or None


def links(response, part, xpath, but=()):
    """Return the addresses that an XPath selects."""
    return [address for address in map(response.urljoin, texts(part, xpath, form=str)) if address not in but]


def link(response, part, xpath, but=()):
    """Return the first of these addresses, None without one."""
    return next(iter(links(response, part, xpath, but)), None)


def runs(page, xpath):
    """Yield the elements that an XPath selects, each in one with what follows it up to the next.

    Or up to a heading above it: an ``h2`` behind an ``h3``.
    """
    leaders = dict.fromkeys(one.root for one in page.xpath(xpath))
    for leader in leaders:
        run = leader.makeelement("div")
        above = [f"h{rank}" for rank in range(1, 7) if f"h{rank}" < leader.tag <= "h6"]
        for one in chain([leader], leader.itersiblings()):
            if one is not leader and (one in leaders or one.tag in above):
                break
            run.append(deepcopy(one))
        yield Selector(root=run, type="html")


SILENT = ("script", "style", "noscript", "template")
INLINE = frozenset(
    """a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span
    strong sub sup time tt u var wbr""".split()
)
