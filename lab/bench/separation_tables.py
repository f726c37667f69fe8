"""The figures of ``lab.bench.separation`` as tables: each site, each group, and what must hold.

A site's figure is the mean over its pages, then over the salts; a group's is the mean over its sites.  The
shares of facts and furniture (``lab.bench.facts``) that are retained, and *own*, the F1 against the gold
less its furniture, are means over the pages and sites that have some; a blank stands where none has.
The spread is that of the group's F1 over the salts.  Imported by benchmarks, not run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from rich.table import Table

from lab.bench.measures import Score, mean, mean_of_some
from lab.bench.peers import ALL_TEXT
from lab.bench.site_runs import Method, Run
from lab.bench.tables import table_of

GROUPS = ("tuned", "added", "third", "fourth", "fifth", "debian", "news")
BELOW = 0.03
"""How far a site may fall below all its text before it is named."""

Kept = tuple[float | None, float | None, float | None]
"""The shares of facts and of furniture that are retained, and the F1 against the gold less its furniture."""

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
        return mean(self.sites.values())

    @property
    def worst(self) -> str:
        """The site with the smallest F1."""
        return min(self.sites, key=lambda site: self.sites[site].f1)

    @property
    def mean_kept(self) -> Kept:
        facts, furniture, own = (mean_of_some(shares) for shares in zip(*self.kept.values()))
        return facts, furniture, own


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
    kept = {}
    for site in means:
        pages = [page for run in runs if run.site == site for page in run.in_tables(limit)]
        kept[site] = (
            mean_of_some(page.facts for page in pages),
            mean_of_some(page.furniture for page in pages),
            mean_of_some(page.own for page in pages),
        )
    scored = [page for run in runs for page in run.in_tables(limit)]
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
        errors=sum((run.errors for run in runs), Counter[str]()),
        seconds=learning + asking,
        kept=kept,
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


def _shares(kept: Kept) -> list[str]:
    return ["" if share is None else f"{share:.3f}" for share in kept]


def sites_table(name: str, group: Group, methods: Mapping[str, Method]) -> Table:
    """Return a row a site: P, R, F1, facts, furniture and own F1 of ours, F1 of the peers."""
    heads = [head for method in group for head in (method, *_HEADS)[: 4 if methods[method].ours else 1]]
    rows = []
    for site in dict.fromkeys(site for figures in group.values() for site in figures.sites):
        cells: list[str] = []
        for method, figures in group.items():
            score = figures.sites.get(site)
            shown = 3 if methods[method].ours else 1
            cells.append(" ".join(f"{share:.3f}" for share in score[-shown:]) if score else "")
            if methods[method].ours:
                cells += _shares(figures.kept.get(site, (None, None, None)))
        rows.append((site, *cells))
    title = f"{name}: F1 of each site (precision, recall and F1 of templcrawl's detectors)"
    return table_of(title, ("site", *heads), rows)


def group_table(name: str, group: Group) -> Table:
    """Return a row a method: the means, the worst site, sites below all text, the spread, failures, speed."""
    everything = group.get(ALL_TEXT)
    heads = ("P", "R", "F1", *_HEADS, "worst site", "below", "F1 over salts", "st. dev.", "failed", "pages/s")
    rows = []
    for method, figures in group.items():
        worst, f1s = figures.worst, [*figures.salts.values()]
        rows.append(
            (
                *(method, *(f"{share:.3f}" for share in figures.mean), *_shares(figures.mean_kept)),
                f"{worst} {figures.sites[worst].f1:.3f}",
                len(_below(figures, everything)) if everything else "",
                *((f"{min(f1s):.3f}..{max(f1s):.3f}", f"{stdev(f1s):.4f}") if len(f1s) > 1 else ("", "")),
                f"{figures.failed} of {figures.scored}",
                f"{1 / figures.seconds:,.0f}" if figures.seconds else "",
            )
        )
    sites = max(len(figures.sites) for figures in group.values())
    return table_of(f"{name}: means over {sites} sites", ("method", *heads), rows)


def check_lines(groups: Mapping[str, Group], methods: Mapping[str, Method]) -> Iterator[str]:
    """Yield what one checks first: the lead over the best peer, sites below all text, what was raised."""
    for name, group in groups.items():
        peers = {method: figures for method, figures in group.items() if not methods[method].ours}
        for method, figures in group.items():
            if methods[method].ours and peers:
                best = max(peers, key=lambda peer: peers[peer].mean.f1)
                f1, rival = figures.mean.f1, peers[best].mean.f1
                lead = f"{f1 - rival:+.3f} against the best peer, {best} ({f1:.3f}, {rival:.3f})"
                everything = peers.get(ALL_TEXT)
                low = ", ".join(_below(figures, everything)) or "none" if everything else "not known"
                yield f"{name}, {method}: {lead}; sites more than {BELOW} below all text: {low}"
            for error, times in figures.errors.most_common(3):
                yield f"{name}, {method}: {times} x {error}"


def _below(figures: Figures, everything: Figures) -> list[str]:
    """Return the sites that are more than ``BELOW`` below all their text."""
    return [
        f"{site} {score.f1:.3f} (all text {everything.sites[site].f1:.3f})"
        for site, score in figures.sites.items()
        if site in everything.sites and score.f1 < everything.sites[site].f1 - BELOW
    ]
