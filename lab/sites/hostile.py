"""Hostile pages: what the web serves by mistake or by malice, as bytes.

Each function makes one page; its size is an argument, and the default is the size at which some parser
was seen to hang, to explode or to cut the page off.  Wherever the markup allows it a page starts with
the words BEFORE and ends with the words AFTER, so that a test can ask what was lost.
"""

from __future__ import annotations

import random
from collections.abc import Callable

BEFORE = "Words before the trouble."
AFTER = "Words after the trouble."
ACCENTED = "Crêpes, façades, cafés: 12 £ à la carte."


def _page(trouble: str, *, declared: str = '<meta charset="utf-8">') -> str:
    return (
        f"<!DOCTYPE html><html><head>{declared}<title>Trouble</title></head><body>"
        f"<p>{BEFORE}</p>{trouble}<p>{AFTER}</p></body></html>"
    )


def ten_megabytes_in_one_line(size: int = 10_000_000) -> bytes:
    """Return at least ``size`` bytes of links and paragraphs without a line break."""
    piece = '<p>Some more words <a href="/page-{}.html">and a link</a></p>'
    return _page("".join(map(piece.format, range(size // len(piece) + 1)))).encode()


def nested_elements(depth: int = 200_000) -> bytes:
    """Return elements inside each other, none of them closed."""
    return _page("<div>" * depth).encode()


def attributes_on_one_tag(count: int = 50_000) -> bytes:
    """Return one start tag with that many attributes of different names."""
    return _page("<div" + "".join(f' name{n}="{n}"' for n in range(count)) + ">Inside</div>").encode()


def unclosed_comments(count: int = 200_000) -> bytes:
    """Return starts of comments; nothing ends them, so the words after them belong to the comment."""
    return _page("<!--" * count).encode()


def unclosed_formatting(count: int = 10_000) -> bytes:
    """Return formatting elements that each new paragraph opens again, by the rules of HTML."""
    return _page("<font color=i><p>" * count).encode()


def stray_less_than(count: int = 1_000_000) -> bytes:
    """Return less-than signs that start no tag; the last of them stands before a real one."""
    return _page("<" * count).encode()


def nul_bytes(count: int = 10_000) -> bytes:
    """Return NUL bytes between words, inside a tag name, an attribute and an entity."""
    return _page("<p>\0No\0thing</p><d\0iv cl\0ass='\0'>&am\0p;</d\0iv>" + "\0" * count).encode()


def utf16_page() -> bytes:
    """Return a page in UTF-16 with a byte order mark; its meta tag says something else."""
    return _page(f"<p>{ACCENTED}</p>").encode("utf-16")


def wrong_encoding_page() -> bytes:
    """Return a page that is declared UTF-8 and is Latin-1."""
    return _page(f"<p>{ACCENTED}</p>").encode("latin-1")


def no_declared_encoding() -> bytes:
    """Return a page in UTF-8 that does not say so."""
    return _page(f"<p>{ACCENTED}</p>", declared="").encode()


def binary_body(size: int = 500_000) -> bytes:
    """Return bytes by chance behind the signature of a PNG image, the same each time."""
    return b"\x89PNG\r\n\x1a\n" + random.Random(size).randbytes(size)


def empty_page() -> bytes:
    return b""


def unclosed_script(lines: int = 50_000) -> bytes:
    """Return a script that never ends, full of ends that are none; the words after it belong to it."""
    return _page("<script>" + "if (a < b) { write('<p></scrip' + 't>') }\n" * lines).encode()


def unclosed_quote(count: int = 50_000) -> bytes:
    """Return a tag whose attribute is never closed; all that follows belongs to it."""
    return (
        _page('<a title="' + "<p class=x>it's 1 > 0</p>" * count)
        .replace('charset="utf-8"', "charset=utf-8")
        .encode()
    )


def nested_tables(depth: int = 20_000) -> bytes:
    """Return tables inside the cells of tables."""
    return _page("<table><tr><td>" * depth).encode()


def many_scripts(count: int = 50_000) -> bytes:
    """Return small scripts, one after the other."""
    return _page("<script>if (1 < 2) { go('<p>') }</script>" * count).encode()


def many_list_items_in_depth(depth: int = 100_000, items: int = 100_000) -> bytes:
    """Return open list items, far down: whoever looks for the item to close must not climb all the way."""
    return _page("<div>" * depth + "<ul>" + "<li>Item " * items).encode()


HOSTILE_PAGES: dict[str, Callable[[], bytes]] = {
    make.__name__: make
    for make in (
        ten_megabytes_in_one_line,
        nested_elements,
        attributes_on_one_tag,
        unclosed_comments,
        unclosed_formatting,
        stray_less_than,
        nul_bytes,
        utf16_page,
        wrong_encoding_page,
        no_declared_encoding,
        binary_body,
        empty_page,
        unclosed_script,
        unclosed_quote,
        nested_tables,
        many_scripts,
        many_list_items_in_depth,
    )
}
"""Name -> page, of every function above at its default size."""
