"""Rewrite what leads somewhere, is shown or plays in the tree of a page, for its Markdown.

addresses  are made absolute, and cleaned as the URL standard does it: no C0 control or space at the ends, no
           tab or line break inside.  Where the scheme is none of ``_SCHEMES``, or a link leads nowhere (no
           address, ``#``, a scheme alone), the text alone stays; a saved page leads to ``file:``.  What could
           end an address is escaped
pictures   that load late have the address that scripts find, the largest of a ``srcset``; without one the
           alternative text stays
players    films, sounds, documents and frames are links, by their title, frames else by their host; those
           that nobody sees are not
icons      that lead somewhere are named by the label or title of the link; without one there is no link

Templates are left out.

Cost: O(length of the HTML).
"""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from templcrawl.page.markdown_search import find_named
from templcrawl.page.vocabulary import LATE_SOURCES

if TYPE_CHECKING:
    from turbohtml import Element

# Schemes that links and images may have; none of them runs anything.
_SCHEMES = frozenset("ftp ftps geo http https irc ircs mailto news sftp sms tel xmpp".split())
_ADDRESSES = {"a": "href", "img": "src"}
_PLAYERS = ["audio", "embed", "iframe", "object", "video"]
_FRAMES = frozenset({"embed", "iframe", "object"})
_HOST = re.compile(r"(?:https?:)?//(?:www\.)?([^/?#@:\s]+)", re.IGNORECASE).match
# Attributes that hold the address of a picture or a player, those that scripts read first.
_SOURCES = (*LATE_SOURCES, "src", "srcset", "data")
_SHOWN = frozenset({"", "file"}) | _SCHEMES
_UNSEEN = frozenset({"0", "1", "0px", "1px"})
_NEAR = 4
_ENDS = "".join(map(chr, range(0x21)))
_BREAKS = str.maketrans("", "", "\t\n\r")
_HAS_BREAK = re.compile(r"[\t\n\r]").search
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.\-]*):").match
_NOWHERE = re.compile(r"(?:[a-zA-Z][a-zA-Z0-9+.\-]*:/*)?(?:#[!0]?)?").fullmatch
_NOWHERE_ENDS = "#!0:/"
_OF_THE_WEB = ("https:", "http:")
_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\"<>`]")


def resolve(library: Any, tree: Element, base: str) -> None:
    """Make addresses absolute and safe to be shown as links; of others the text stays."""
    for template in tree.find_all("template"):
        template.extract()
    _load_pictures(tree)
    _link_players(library, tree, base)
    addressed = []
    for element in find_named(tree, _ADDRESSES):
        name = _ADDRESSES[element.tag]
        written = element.attr(name) or ""
        cleaned = written.strip(_ENDS)
        if _HAS_BREAK(cleaned):
            cleaned = cleaned.translate(_BREAKS)
        if cleaned != written:
            element.attrs[name] = cleaned
        addressed.append((element, name, cleaned))
    with suppress(ValueError):  # a base that is not an address
        tree.resolve_links(base)
    allowed = {"", *_SCHEMES, *({"file"} if _scheme_of(base) == "file" else ())}
    for element, name, cleaned in addressed:
        address = element.attr(name) or ""
        is_image = name == "src"
        leads = cleaned != "" and (is_image or cleaned[-1] not in _NOWHERE_ENDS or not _NOWHERE(cleaned))
        if leads and (address.startswith(_OF_THE_WEB) or _scheme_of(address) in allowed):
            if _UNSAFE.search(address):
                element.attrs[name] = _UNSAFE.sub(lambda unsafe: quote(unsafe[0], safe=""), address)
        elif is_image:
            element.replace_with(library.Text(f" {element.attr('alt') or ''} "))
        else:
            element.unwrap()


def _scheme_of(address: str) -> str:
    scheme = _SCHEME(address)
    return scheme[1].lower() if scheme else ""


def _load_pictures(tree: Element) -> None:
    """Give images the addresses that scripts would."""
    for image in find_named(tree, ("amp-img", "amp-anim")):
        image.clear()
        image.tag = "img"
    for image in tree.find_all("img"):
        near = islice(image.previous_siblings, _NEAR)
        source = next((before for before in near if getattr(before, "tag", "") == "source"), None)
        address = _source_of(image) or _source_of(source)
        if address != image.attr("src"):
            image.attrs["src"] = address


def _source_of(element: Any) -> str:
    attributes = dict(element.attrs) if element is not None else {}
    for name in filter(attributes.__contains__, _SOURCES):
        written = (attributes[name] or "").strip(_ENDS)
        if name.endswith("srcset"):
            candidates = [words for candidate in written.split(", ") if (words := candidate.split())]
            written = max(candidates, key=_size, default=[""])[0].rstrip(",")
        is_word = name in LATE_SOURCES and not ("/" in written or "." in written)  # data-lazy="true"
        if written and not is_word and _scheme_of(written) in _SHOWN:
            return written
    return ""


def _size(candidate: list[str]) -> float:
    """Return the width or the density of a candidate of a ``srcset``, its words given; 0 if it says none."""
    number = candidate[-1][:-1]
    return float(number) if number.replace(".", "", 1).isdecimal() else 0.0


def _link_players(library: Any, tree: Element, base: str) -> None:
    """Replace players and frames by links; the fallback text of a document stays behind its link."""
    linked = ""
    for player in find_named(tree, _PLAYERS):
        address = _source_of(player) or _source_of(player.find("source"))
        is_seen = _UNSEEN.isdisjoint((player.attr("width"), player.attr("height")))
        if address and is_seen and address != linked:
            linked = address
            name = library.Text(player.attr("title") or _host_of(player, address, base))
            link = library.Element("span" if player.closest("a") else "a", {"href": address})
            link.append(name)
            player.insert_before(library.Text(" "), link, library.Text(" "))
        if player.tag != "object":
            player.extract()


def _host_of(player: Element, address: str, base: str) -> str:
    """Return the name of a frame without a title: the host of its address, if it has one."""
    host = _HOST(address) or _HOST(base)
    return host[1] if host is not None and player.tag in _FRAMES else player.tag


def name_links(library: Any, tree: Element) -> None:
    """Name links without words or pictures, icons, by their label or title; without one the link goes."""
    for anchor in tree.find_all("a"):
        if anchor.text.strip() or anchor.find("img") is not None:
            continue
        labelled = [anchor, *islice(anchor.find_all(attrs={"aria-label": True}), 1)]
        labels = (element.attr(name) or "" for element in labelled for name in ("aria-label", "title"))
        label = next(filter(str.strip, labels), "")
        if label:
            anchor.attrs.pop("title", None)
            anchor.append(library.Text(label))
            anchor.insert_before(library.Text(" "))
            anchor.insert_after(library.Text(" "))
        else:
            anchor.unwrap()
