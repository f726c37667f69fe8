"""The terms of a page: its words and the addresses of its links, as 64-bit hashes in reading order.

They are what pages and pagelets are compared by when it does not matter how they are marked up.
Hashes are xxh3, equal in every process; each distinct word is hashed once a page.
Cost: O(length of the text), most of it in C.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain

import numpy as np

from templcrawl.page.addresses import url_key
from templcrawl.page.ancestors import Indices, Keys
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

    hashes       the hash of each term, in order
    start_array  token -> number of terms before it; n + 1 numbers for n tokens
    """

    __slots__ = ("__dict__", "hashes", "start_array")

    def __init__(self, tokens: TokenStream, links: Links) -> None:
        words = [form.split() if kind == TEXT else () for form, kind in zip(tokens.forms, tokens.form_kinds)]
        counts = np.array(list(map(len, words)), dtype=np.intp)
        firsts = np.cumsum(counts) - counts
        urls = list(links.form_urls)
        firsts[urls] = int(counts.sum()) + np.arange(len(urls))
        counts[urls] = 1
        hashes = chain(
            map(TermHashes().__getitem__, chain.from_iterable(words)), map(url_key, links.form_urls.values())
        )
        of_forms = np.fromiter(hashes, dtype=np.uint64, count=int(counts.sum()))
        of_tokens = counts[tokens.form_array]
        self.start_array: Indices = np.concatenate(([0], np.cumsum(of_tokens)))
        indices = np.repeat(firsts[tokens.form_array] - self.start_array[:-1], of_tokens)
        self.hashes: Keys = of_forms[indices + np.arange(len(indices))]

    @cached_property
    def starts(self) -> list[int]:
        """The same as ``start_array``, as a list."""
        starts: list[int] = self.start_array.tolist()
        return starts
