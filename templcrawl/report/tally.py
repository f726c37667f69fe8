"""What is counted of any set of pages: of a crawl, a site or a template.  Cost: O(1) a page."""

from __future__ import annotations

from dataclasses import astuple, dataclass

from templcrawl.memory.observation import Observation


def template_share(observation: Observation) -> float:
    """Return the share of a page's text that is template, 0 where there is no text."""
    kept, whole = observation.text_lengths
    return (whole - kept) / whole if whole else 0.0


@dataclass
class Tally:
    """Sums over pages.

    pages            how many; one that was read twice counts twice
    kept, whole      characters of their visible text that are content, and all of them
    shares           share of the text that is template, of each page
    template_links   links that sit in template pagelets
    links            all links
    near_duplicates  pages whose content repeats an earlier page of their site
    truncated        pages that were read or compared in part
    """

    pages: int = 0
    kept: int = 0
    whole: int = 0
    shares: float = 0.0
    template_links: int = 0
    links: int = 0
    near_duplicates: int = 0
    truncated: int = 0

    def add(self, observation: Observation) -> None:
        """Count a page."""
        kept, whole = observation.text_lengths
        self.pages += 1
        self.kept += kept
        self.whole += whole
        self.shares += template_share(observation)
        self.template_links += sum(map(bool, observation.link_pages))
        self.links += len(observation.link_pages)
        self.near_duplicates += observation.near_duplicate is not None
        self.truncated += bool(observation.truncated)

    def __add__(self, other: Tally) -> Tally:
        return Tally(*map(sum, zip(astuple(self), astuple(other))))

    @property
    def template_share(self) -> float:
        """Share of the text that is template, 0 where there is no text.

        >>> Tally(pages=2, kept=30, whole=120).template_share
        0.75
        """
        return (self.whole - self.kept) / self.whole if self.whole else 0.0

    @property
    def mean_share(self) -> float:
        """Share of the text that is template, of a page on average."""
        return self.shares / self.pages if self.pages else 0.0

    @property
    def link_share(self) -> float:
        """Share of the links that sit in template pagelets, 0 where there are no links."""
        return self.template_links / self.links if self.links else 0.0
