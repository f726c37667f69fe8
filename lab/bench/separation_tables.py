"""The figures of ``lab.bench.separation`` as tables: each site, each group, and what must hold.

A site's figure is the mean over its pages, then over the salts; a group's is the mean over its sites.  The
shares of facts and furniture (``lab.bench.facts``) that are retained, and *own*, the F1 against the gold
less its furniture, are means over the pages and sites that have some; a blank stands where none has.
The spread is that of the group's F1 over the salts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from rich.table import Table

from lab.bench.metrics import Score, mean
from lab.bench.peers import ALL_TEXT
from lab.bench.site_runs import Method, Run

GROUPS = ("tuned", "added", "third", "fourth", "fifth", "debian", "news")
BELOW = 0.03
"""How far a site may fall below all its text before it is named."""


Kept = tuple[float | None, float | None, float | None]
"""The shares of facts and of furniture that are retained, and the F1 against the gold less its furniture."""

_NO_KEPT: Kept = (None, None, None)
_HEADS = ("facts", "furniture", "own")


@dataclass(frozen=True)
class Figures:
    """What one method gave in one group.

    sites    site -> its mean score
    salts    salt -> the group's F1
    scored   answers that were scored
    failed   answers that failed
    errors   what was raised -> how often
    seconds  CPU seconds a page
    kept     site -> its shares of facts and furniture, and its own F1; None where it has none
    """

    sites: dict[str, Score]
    salts: dict[int, float]
    scored: int
    failed: int
    errors: Counter[str]
    seconds: float
    kept: dict[str, Kept]

    @property
    def mean(self) -> Score:
        """The group's score."""
        return mean(self.sites.values())

    @property
    def worst(self) -> str:
        """The site with the smallest F1."""
        return min(self.sites, key=lambda site: self.sites[site].f1)

    @property
    def mean_kept(self) -> Kept:
        """The group's means of the same."""
        facts, furniture, own = zip(*self.kept.values())
        return _mean(facts), _mean(furniture), _mean(own)


def _mean(shares: Iterable[float | None]) -> float | None:
    some = [share for share in shares if share is not None]
    return fmean(some) if some else None


Group = dict[str, Figures]
"""Method -> its figures in one group."""


def figures_of(runs: Sequence[Run], limit: int) -> Figures | None:
    """Return the figures of the runs of one method in one group; None if no page to ``limit`` was scored."""
    means: dict[str, dict[int, Score]] = {}
    for run in runs:
        if scores := [page.score for page in run.in_tables(limit)]:
            means.setdefault(run.site, {})[run.salt] = mean(scores)
    if not means:
        return None
    scored = [page for run in runs for page in run.in_tables(limit)]
    errors: Counter[str] = Counter()
    for run in runs:
        errors.update(run.errors)
    learning = sum(run.learn_seconds for run in runs) / max(1, sum(run.learn_pages for run in runs))
    asking = sum(run.ask_seconds for run in runs) / max(1, sum(run.ask_pages for run in runs))
    return Figures(
        sites={site: mean(by_salt.values()) for site, by_salt in means.items()},
        salts={
            salt: fmean(by_salt[salt].f1 for by_salt in means.values() if salt in by_salt)
            for salt in sorted({run.salt for run in runs})
        },
        scored=len(scored),
        failed=sum(page.failed for page in scored),
        errors=errors,
        seconds=learning + asking,
        kept={
            site: (
                _mean(page.facts for page in pages),
                _mean(page.furniture for page in pages),
                _mean(page.own for page in pages),
            )
            for site in means
            if (pages := [page for run in runs if run.site == site for page in run.in_tables(limit)])
        },
    )


def groups_of(runs: Sequence[Run], pages: int) -> dict[str, Group]:
    """Return group -> method -> figures, in the order of the runs."""
    groups: dict[str, dict[str, list[Run]]] = {}
    for run in sorted(runs, key=lambda run: GROUPS.index(run.group)):
        groups.setdefault(run.group, {}).setdefault(run.method, []).append(run)
    results = {
        group: {method: figures for method, part in methods.items() if (figures := figures_of(part, pages))}
        for group, methods in groups.items()
    }
    return {group: methods for group, methods in results.items() if methods}


def _three(score: Score) -> str:
    return f"{score.precision:.3f} {score.recall:.3f} [bold]{score.f1:.3f}[/]"


def _shares(kept: Kept) -> list[str]:
    return ["" if share is None else f"{share:.3f}" for share in kept]


def sites_table(name: str, group: Group, methods: dict[str, Method]) -> Table:
    """Return a row a site: P, R, F1, facts, furniture and own F1 of ours, F1 of the peers."""
    table = Table(title=f"{name}: F1 of each site (precision, recall and F1 of templcrawl's detectors)")
    table.add_column("site")
    for method in group:
        for head in (method, *_HEADS)[: 4 if methods[method].ours else 1]:
            table.add_column(head, justify="right")
    for site in dict.fromkeys(site for figures in group.values() for site in figures.sites):
        cells = []
        for method, figures in group.items():
            score = figures.sites.get(site)
            ours = methods[method].ours
            cells.append("" if score is None else _three(score) if ours else f"{score.f1:.3f}")
            if ours:
                cells += _shares(figures.kept.get(site, _NO_KEPT))
        table.add_row(site, *cells)
    return table


def group_table(name: str, group: Group) -> Table:
    """Return a row a method: the means, the worst site, sites below all text, the spread, failures, speed."""
    sites = max(len(figures.sites) for figures in group.values())
    table = Table(title=f"{name}: means over {sites} sites")
    table.add_column("method")
    for head in ("P", "R", "F1", *_HEADS, "worst site", "below"):
        table.add_column(head, justify="right")
    for head in ("F1 over salts", "st. dev.", "failed", "pages/s"):
        table.add_column(head, justify="right")
    everything = group.get(ALL_TEXT)
    for method, figures in group.items():
        score, worst = figures.mean, figures.worst
        table.add_row(
            method,
            *(f"{share:.3f}" for share in score),
            *_shares(figures.mean_kept),
            f"{worst} {figures.sites[worst].f1:.3f}",
            str(len(_below(figures, everything))) if everything else "",
            *_spread(list(figures.salts.values())),
            f"{figures.failed} of {figures.scored}",
            f"{1 / figures.seconds:,.0f}" if figures.seconds else "",
        )
    return table


def _spread(means: list[float]) -> tuple[str, str]:
    if len(means) < 2:
        return "", ""
    return f"{min(means):.3f}..{max(means):.3f}", f"{stdev(means):.4f}"


def check_lines(groups: dict[str, Group], methods: dict[str, Method]) -> Iterator[str]:
    """Yield what a reader checks first: sites below all text, and the lead over the best peer."""
    for name, group in groups.items():
        peers = {method: figures for method, figures in group.items() if not methods[method].ours}
        for method, figures in group.items():
            if methods[method].ours and peers:
                everything = peers.get(ALL_TEXT)
                low = ", ".join(_below(figures, everything)) or "none" if everything else "not known"
                below = f"sites more than {BELOW} below all text: {low}"
                yield f"{name}, {method}: {_lead(figures, peers)}; {below}"


def _lead(figures: Figures, peers: Group) -> str:
    """Say how far the mean is above the best peer's, over the sites that both have."""
    best = max(peers, key=lambda peer: peers[peer].mean.f1)
    lead = figures.mean.f1 - peers[best].mean.f1
    return f"{lead:+.3f} against the best peer, {best} ({figures.mean.f1:.3f}, {peers[best].mean.f1:.3f})"


def _below(figures: Figures, everything: Figures) -> list[str]:
    """Return the sites that are more than ``BELOW`` below all their text."""
    return [
        f"{site} {score.f1:.3f} (all text {everything.sites[site].f1:.3f})"
        for site, score in figures.sites.items()
        if site in everything.sites and score.f1 < everything.sites[site].f1 - BELOW
    ]


def error_lines(groups: dict[str, Group]) -> Iterator[str]:
    """Yield what the methods raised."""
    for name, group in groups.items():
        for method, figures in group.items():
            for error, times in figures.errors.most_common(3):
                yield f"{name}, {method}: {times} x {error}"
