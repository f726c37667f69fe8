"""What a report is made of, collected page by page: sums of a crawl, of each site, details of some sites.

Sums are kept of 10,000 sites; when there are more, the smaller half becomes part of the rest, of which only
the sum is known (a site that comes back from there counts as another one).  Details are kept of 64 sites: a
site gets them while there is room, or when it has more pages than the smallest one that has them, which then
loses them.

Cost: O(length of the page) a page.  Memory: at most some 75 MB for the details, 5 MB for the sums.
"""

from __future__ import annotations

from templcrawl.memory.observation import Observation
from templcrawl.report.site_figures import SiteFigures
from templcrawl.report.tally import Tally

MOST_SITES = 10_000
MOST_DETAILED = 64


class CrawlFigures:
    """The figures of a crawl.

    total       sums of all pages
    rest        sums of the pages of sites that are not told apart any more
    rest_sites  how many those are
    """

    def __init__(self, *, most_sites: int = MOST_SITES, most_detailed: int = MOST_DETAILED) -> None:
        self.total = Tally()
        self.rest = Tally()
        self.rest_sites = 0
        self._most_sites = most_sites
        self._most_detailed = most_detailed
        self._tallies: dict[str, Tally] = {}
        self._details: dict[str, SiteFigures] = {}

    def add(self, observation: Observation) -> None:
        """Add a page."""
        host = observation.page.host
        tally = self._tallies.get(host)
        if tally is None:
            if len(self._tallies) >= self._most_sites:
                self._make_room()
            tally = self._tallies[host] = Tally()
        self.total.add(observation)
        tally.add(observation)
        details = self._details_of(host)
        if details is not None:
            details.add(observation)

    def sites(self) -> dict[str, Tally]:
        """Return host -> its sums, the largest site first."""
        return dict(sorted(self._tallies.items(), key=lambda item: (-item[1].pages, item[0])))

    def details(self, host: str) -> SiteFigures | None:
        """Return the details of a site, None where there are none."""
        return self._details.get(host)

    def _details_of(self, host: str) -> SiteFigures | None:
        """Return the details of a site that has a page more; None if it does not deserve any."""
        details = self._details.get(host)
        if details is None:
            if len(self._details) >= self._most_detailed:
                smallest = min(self._details, key=lambda site: self._tallies[site].pages)
                if self._tallies[smallest].pages >= self._tallies[host].pages:
                    return None
                del self._details[smallest]
            details = self._details[host] = SiteFigures()
        return details

    def _make_room(self) -> None:
        """Let the smaller half of the sites become part of the rest."""
        for host, tally in list(self.sites().items())[self._most_sites // 2 :]:
            self.rest += tally
            self.rest_sites += 1
            del self._tallies[host]
            self._details.pop(host, None)
