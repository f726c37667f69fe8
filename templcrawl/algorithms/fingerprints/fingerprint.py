"""Template fingerprints: the LZ78 references of a page's first tags, in at most 25 bytes.

Source: Hachenberg & Gottron (CIKM 2013), section 3.1, Algorithm 1 and Definition 3.1.

How: read the names of the page's tags, start and end tags alike, and compress them by LZ78: extend
the current run of tags as long as it is in the dictionary; the first tag that leads out of it makes
a new entry (reference to the entry of the run, tag), and a new run begins.  The references, in order,
are the fingerprint; 0 stands for the empty run.  At entry 25 reading stops.

Cost: O(tags read), a few dozen on most pages.
Departure: the paper says LZW; its algorithm and its example are LZ78 (the run is emptied).
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable

from templcrawl.page.native import native
from templcrawl.page.page import Page
from templcrawl.page.scan import iter_tag_names
from templcrawl.page.tokens import Limits

FINGERPRINT_LENGTH = 25
_WITHOUT_CAPS = Limits(sys.maxsize, sys.maxsize)


def lz78_references(tags: Iterable[Hashable], *, length: int = FINGERPRINT_LENGTH) -> bytes:
    """Return the references of the LZ78 dictionary of ``tags``, at most ``length`` of them.

    Entries are numbered from 1.  Nothing is read beyond the tag that makes the last entry; a run that
    is still in the dictionary when the tags end adds nothing.

    >>> list(lz78_references("abababab"))
    [0, 0, 1, 3]
    """
    longer: list[dict[Hashable, int]] = [{}]  # entry -> tag -> entry of the run with that tag
    references = bytearray()
    run = 0
    for tag in tags:
        entry = longer[run].get(tag)
        if entry is not None:
            run = entry
            continue
        references.append(run)
        if len(references) == length:
            break
        longer[run][tag] = len(references)
        longer.append({})
        run = 0
    return bytes(references)


def template_fingerprint(html: str, limits: Limits = _WITHOUT_CAPS) -> bytes:
    """Return the template fingerprint of a page: at most 25 bytes, fewer for a page of few tags.

    limits  how much of it is read

    >>> list(template_fingerprint("<html><body><p>one</p><p>two</p></body></html>"))
    [0, 0, 0, 3, 3]
    """
    return lz78_references(
        iter_tag_names(html, max_characters=limits.max_characters, max_tags=limits.max_tags)
    )


@native(None, columns=("fingerprint",), answer=bytes)
def page_fingerprint(page: Page) -> bytes:
    """Return the template fingerprint of what is read of a page, out of its tokens.

    >>> page_fingerprint(Page("<p>one</p>", "")) == template_fingerprint("<p>one</p>")
    True
    """
    tokens = page.tokens
    return lz78_references(filter(None, map(tokens.form_names.__getitem__, tokens.form_of)))


def same_template(a: bytes, b: bytes) -> bool:
    """Return whether two fingerprints differ by one insertion, deletion or substitution at most.

    Definition 3.1.  Cost: O(length).

    >>> same_template(bytes([0, 0, 1]), bytes([0, 2, 1])), same_template(bytes([0, 0]), bytes([1, 2]))
    (True, False)
    """
    if a == b:
        return True
    if abs(len(a) - len(b)) > 1:
        return False
    if len(a) > len(b):
        a, b = b, a
    same = 0
    while same < len(a) and a[same] == b[same]:
        same += 1
    return a[same + (len(a) == len(b)) :] == b[same + 1 :]
