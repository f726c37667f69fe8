"""The pages of a site that vote on a page: a sample of the whole site, and for outsiders their own kind.

See :mod:`templcrawl.memory.page_sample` and :mod:`templcrawl.algorithms.detectors.outsiders`.
Cost and memory: those of the two.
"""

from __future__ import annotations

from collections.abc import Callable

from templcrawl.algorithms.detectors.outsiders import is_outsider, with_own_kind
from templcrawl.memory.outsiders import Outsiders
from templcrawl.memory.page_sample import PageSample, Shares
from templcrawl.memory.plain import Plain, entry
from templcrawl.page.page import Page


class Voters:
    """What is known of a site's pages for the vote.

    size         pages that a page is compared with, of the site and of its own kind
    salt         which pages of the site these are
    template_of  leaf of a page type -> the template that it belongs to by now
    """

    def __init__(self, *, size: int, salt: int, template_of: Callable[[int], int]) -> None:
        self._sample = PageSample(size=size, salt=salt)
        self._outsiders = Outsiders(size=size, template_of=template_of)

    @property
    def nbytes(self) -> int:
        """Bytes that they take, about."""
        return self._sample.nbytes + self._outsiders.nbytes

    def ask(self, page: Page, leaf: int, *, learn: bool) -> Shares:
        """Say of each leaf of a page how many voters have it, and then let the page be one.

        leaf   the leaf of its page type
        learn  whether the page may become a voter
        """
        read = self._sample.read(page.leaves.keys)
        shares, pages = self._sample.shares(read)
        outside = is_outsider(shares, pages)
        if outside:
            shares = with_own_kind(shares, *self._outsiders.shares(read, leaf))
        if learn:
            self._sample.offer(read)
            if outside:
                self._outsiders.add(read, leaf)
        return Shares(shares, pages)

    def check(self) -> None:
        """Raise BrokenInvariant if what is remembered is inconsistent or over its limit."""
        self._sample.check()
        self._outsiders.check()

    def snapshot(self) -> Plain:
        """Return all of it as plain values."""
        return {"sample": self._sample.snapshot(), "outsiders": self._outsiders.snapshot()}

    def restore(self, snapshot: Plain) -> None:
        """Take up a snapshot; raises InvalidSnapshot."""
        self._sample.restore(entry(snapshot, "sample", dict))
        self._outsiders.restore(entry(snapshot, "outsiders", dict))
