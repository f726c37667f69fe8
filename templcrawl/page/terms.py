"""The terms of a page: its words and the addresses of its links, as 64-bit hashes in reading order.

They are what pages and pagelets are compared by when it does not matter how they are marked up.
Hashes are xxh3, equal in every process; each distinct word is hashed once a page.
Cost: O(length of the text), most of it in C.
"""

from __future__ import annotations

from itertools import accumulate, chain

import numpy as np
import numpy.typing as npt

from templcrawl.page.addresses import url_key
from templcrawl.page.encoding import text_key
from templcrawl.page.links import Links
from templcrawl.page.tags import TEXT
from templcrawl.page.tokens import TokenStream


class TermHashes(dict[str, int]):
    """Term -> its hash, worked out when it is first asked for."""

    def __missing__(self, term: str) -> int:
        term_hash = self[term] = text_key(term)
        return term_hash


class Terms:
    """The terms of a page.

    hashes  the hash of each term, in order
    starts  token -> number of terms before it; n + 1 numbers for n tokens
    """

    __slots__ = ("hashes", "starts")

    def __init__(self, tokens: TokenStream, links: Links) -> None:
        of_word = TermHashes().__getitem__
        of_form: list[tuple[int, ...]] = [
            tuple(map(of_word, form.split())) if kind == TEXT else ()
            for form, kind in zip(tokens.forms, tokens.form_kinds)
        ]
        for form, url in links.form_urls.items():
            of_form[form] = (url_key(url),)
        of_token = list(map(of_form.__getitem__, tokens.form_of))
        self.starts = list(accumulate(map(len, of_token), initial=0))
        self.hashes: npt.NDArray[np.uint64] = np.fromiter(
            chain.from_iterable(of_token), dtype=np.uint64, count=self.starts[-1]
        )
