"""Where links, pictures and players lead, in a tree before it becomes Markdown; templates are left out.

addresses  are made absolute, and cleaned as the URL standard does it: no C0 control or space at the ends, no
           tab or line break inside.  Where the scheme is none of ``SCHEMES`` the text alone stays; a saved
           page leads to ``file:``.  What could end an address is escaped
pictures   that load late have the address that scripts find, the largest of a ``srcset``; without one the
           alternative text stays
players    films, sounds, documents and frames are links, by their title; frames that nobody sees are not

Cost: O(length of the HTML).
"""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from turbohtml import Element

# Schemes that links and images may have; none of them runs anything.
SCHEMES = frozenset("ftp ftps geo http https irc ircs mailto news sftp sms tel xmpp".split())

_ADDRESSES = {"a": "href", "img": "src"}
_PLAYERS = ["audio", "embed", "iframe", "object", "video"]
# Attributes that hold the address of a picture or a player, those that scripts read first.
_SOURCES = "data-src data-original data-lazy-src data-srcset data-lazy-srcset src srcset data".split()
_SHOWN = frozenset({"", "file"}) | SCHEMES
_UNSEEN = frozenset({"0", "1", "0px", "1px"})
_NEAR = 4
_ENDS = "".join(map(chr, range(0x21)))
_BREAKS = str.maketrans("", "", "\t\n\r")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.\-]*):").match
_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\"<>`]")


def resolve(library: Any, tree: Element, base: str) -> None:
    """Make addresses absolute and safe to be shown as links; of others the text stays."""
    for template in tree.find_all("template"):
        template.extract()
    _load_pictures(tree)
    _link_players(library, tree)
    addressed = [
        (element, _ADDRESSES[element.tag], element.attr(_ADDRESSES[element.tag]))
        for element in tree.find_all(list(_ADDRESSES))
    ]
    for element, name, written in addressed:
        if written:
            element.attrs[name] = written.strip(_ENDS).translate(_BREAKS)
    with suppress(ValueError):  # a base that is no address
        tree.resolve_links(base)
    allowed = SCHEMES | ({"file"} if _scheme_of(base) == "file" else set())
    for element, name, written in addressed:
        address = element.attr(name) or ""
        is_image = name == "src"
        if _scheme_of(address) in {"", *allowed} and (written or not is_image):
            if written:
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
    for image in tree.find_all(["amp-img", "amp-anim"]):
        image.clear()
        image.tag = "img"
    for image in tree.find_all("img"):
        near = islice(image.previous_siblings, _NEAR)
        source = next((before for before in near if getattr(before, "tag", "") == "source"), None)
        image.attrs["src"] = _source_of(image) or _source_of(source)


def _source_of(element: Any) -> str:
    for name in _SOURCES if element is not None else ():
        written = (element.attr(name) or "").strip(_ENDS)
        if name.endswith("srcset"):
            candidates = [words for candidate in written.split(", ") if (words := candidate.split())]
            written = max(candidates, key=_size, default=[""])[0].rstrip(",")
        if written and _scheme_of(written) in _SHOWN:
            return written
    return ""


def _size(candidate: list[str]) -> float:
    """Return the width or the density of a candidate of a ``srcset``, its words given; 0 if it says none."""
    number = candidate[-1][:-1]
    return float(number) if number.replace(".", "", 1).isdecimal() else 0.0


def _link_players(library: Any, tree: Element) -> None:
    """Put a link in the place of what plays or frames something; a document's own text stays behind it."""
    linked = ""
    for player in tree.find_all(_PLAYERS):
        address = _source_of(player) or _source_of(player.find("source"))
        is_seen = _UNSEEN.isdisjoint((player.attr("width"), player.attr("height")))
        if address and is_seen and address != linked:
            linked = address
            name = library.Text(player.attr("title") or player.tag)
            link = library.Element("span" if player.closest("a") else "a", {"href": address})
            link.append(name)
            player.insert_before(library.Text(" "), link, library.Text(" "))
        if player.tag != "object":
            player.extract()
