"""Pages as two crawls find them: the same page, edited in its template or in its content; imported, not run.

A page is *dressed* with what the edits of templates alter: a line of a footer with a year, a slot in which
advertisements rotate, a count of visits; and, in its content, with a short status that many pages share.  All
of the dress but the status stands outside the container that holds the content.
Every choice is drawn by the page's name, so that a page is edited alike in every process.

Cost: a tree of lxml a page, and a copy of it an edit.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import lxml.etree
import lxml.html

_BLOCKS = "descendant::p|descendant::li|descendant::dd|descendant::td|descendant::pre"
_MIN_WORDS = 5
_ADVERTS = [f"Try {name} today, at half the price" for name in "Aro Bex Cyl Dov Eri Fal Gud".split()]
_IN, _OUT = "Can be had now", "None left at present"
_WORDS = (
    "amber birch cedar delta ember flint grove hazel inlet juniper knoll lichen maple nettle osier".split()
)


@dataclass
class Dressed:
    """A page that can be edited.

    name        tells it from all others
    tree        its document
    containers  the elements of it that hold the content
    """

    name: str
    tree: Any
    containers: list[Any]

    @property
    def html(self) -> bytes:
        html: bytes = lxml.html.tostring(self.tree, encoding="utf-8", doctype="<!DOCTYPE html>")
        return html

    def chance(self, about: str) -> random.Random:
        """Return the page's own source of chance."""
        return random.Random(f"{self.name} {about}")

    def copied(self) -> Dressed:
        tree = deepcopy(self.tree)
        paths = [self.tree.getroottree().getpath(node) for node in self.containers]
        return Dressed(self.name, tree, [tree.getroottree().xpath(path)[0] for path in paths])

    def blocks(self) -> list[Any]:
        """Return the elements of the content that have some words of their own."""
        blocks = [block for node in self.containers for block in node.xpath(_BLOCKS)]
        return [block for block in blocks if len((block.text or "").split()) >= _MIN_WORDS]


def dressed(name: str, html: str, content: Sequence[str]) -> Dressed | None:
    """Return a page as the first crawl finds it; None where its content is not marked, or has no block.

    content  XPaths of the container of its content, in order of preference
    """
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    try:
        tree = lxml.html.document_fromstring(html.encode("utf-8", "replace"), parser=parser)
    except (lxml.etree.LxmlError, ValueError):
        return None
    nodes: list[Any] = next((nodes for nodes in map(tree.xpath, content) if nodes), [])
    outermost = [node for node in nodes if not any(other in nodes for other in node.iterancestors())]
    page = Dressed(name, tree, outermost)
    body = tree.find("body")
    if body is None or any(node in (tree, body) for node in outermost) or not page.blocks():
        return None
    outermost[-1].addnext(_element("div", advert(page, 1), id="x-slot"))
    body.append(_element("div", "Copyright 2025 by all of us", id="x-year"))
    body.append(_element("div", f"Read {page.chance('visits 1').randrange(9_999):,} times", id="x-visits"))
    status = _IN if page.chance("status").random() < 0.7 else _OUT
    page.blocks()[0].addprevious(_element("p", status, id="x-status"))
    return page


def advert(page: Dressed, crawl: int) -> str:
    """Return what is advertised on a page."""
    return page.chance(f"advert {crawl}").choice(_ADVERTS)


def _element(name: str, text: str, **attributes: str) -> Any:
    element = lxml.html.Element(name, attributes)
    element.text = text
    return element


def _set(page: Dressed, name: str, text: str) -> None:
    page.tree.get_element_by_id(name).text = text


def _prose(page: Dressed, about: str, words: int) -> str:
    chance = page.chance(about)
    return " ".join(f"{chance.choice(_WORDS)}{chance.randrange(1_000)}" for _ in range(words))


def nothing(page: Dressed) -> None:
    """Leave a page as it is."""


def token(page: Dressed) -> None:
    """Give a form another token: nobody sees it."""
    field = {"type": "hidden", "name": "token", "value": _prose(page, "token", 1)}
    page.tree.find("body").append(lxml.html.Element("input", field))


def menu_entry(page: Dressed) -> None:
    """Add an entry to the longest list of links outside the content, else a line of links."""
    inside = {node for container in page.containers for node in container.iter()}
    lists = [
        node for node in page.tree.iter("ul", "ol") if node not in inside and len(node.xpath("li//a")) > 2
    ]
    body = page.tree.find("body")
    target = max(lists, key=len, default=None)
    link = _element("a", "Our new podcast", href="/podcast")
    if target is None:
        body.insert(0, link)
        return
    entry = lxml.html.Element("li")
    entry.append(link)
    target.append(entry)


def footer_year(page: Dressed) -> None:
    _set(page, "x-year", "Copyright 2026 by all of us")


def banner(page: Dressed) -> None:
    text = "We have moved: on the first of the month all of this goes to another house, and you with it."
    page.tree.find("body").insert(0, _element("div", text))


def adverts(page: Dressed) -> None:
    _set(page, "x-slot", advert(page, 2))


def visits(page: Dressed) -> None:
    _set(page, "x-visits", f"Read {page.chance('visits 2').randrange(9_999, 99_999):,} times")


def all_furniture(page: Dressed) -> None:
    for edit in (token, menu_entry, footer_year, banner, adverts, visits):
        edit(page)


def one_word(page: Dressed) -> None:
    chance = page.chance("word")
    block = chance.choice(page.blocks())
    words = block.text.split(" ")
    places = [place for place, word in enumerate(words) if word.strip()]
    words[chance.choice(places)] = _prose(page, "word", 1)
    block.text = " ".join(words)


def paragraph(page: Dressed) -> None:
    page.chance("paragraph").choice(page.blocks()).addnext(_element("p", _prose(page, "paragraph", 30)))


def paragraph_gone(page: Dressed) -> None:
    block = page.chance("gone").choice(page.blocks())
    block.text = ""
    for child in list(block):
        block.remove(child)


def comment(page: Dressed) -> None:
    thread = lxml.html.Element("div")
    thread.append(_element("b", _prose(page, "who", 1).title()))
    thread.append(_element("p", _prose(page, "comment", 12)))
    page.containers[-1].append(thread)


def status(page: Dressed) -> None:
    """Change the short line in the content that many pages share."""
    line = page.tree.get_element_by_id("x-status")
    line.text = _OUT if line.text == _IN else _IN


Edit = Callable[[Dressed], None]

OF_TEMPLATE: dict[str, Edit] = {
    edit.__name__: edit
    for edit in (nothing, token, menu_entry, footer_year, banner, adverts, visits, all_furniture)
}
OF_CONTENT: dict[str, Edit] = {
    edit.__name__: edit for edit in (one_word, paragraph, paragraph_gone, comment, status)
}
