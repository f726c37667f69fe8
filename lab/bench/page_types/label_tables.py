"""How good the labels of pages are: as emitted, by template and by leaf resolved; site by site, and means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rich.table import Table

from lab.bench.page_types.typed_sites import Quality, mean_quality


class Moment(NamedTuple):
    """How good the labels of the pages so far are.

    emitted   each as it was at the arrival of its page
    template  what each, as it was emitted, has become by now
    then      all as they are known now, by the leaf of each page
    """

    emitted: Quality
    template: Quality
    then: Quality


Labelled = Mapping[str, tuple[str, Moment]]
"""Site -> its group, and how good its labels are at the end."""


def mean_moment(moments: Iterable[Moment]) -> Moment:
    """Return the means over sites or orders."""
    return Moment(*(mean_quality(qualities) for qualities in zip(*moments)))


def label_table(by_setting: Mapping[str, Labelled]) -> Table:
    """Return ARI / purity of each site, then the means over all and over each group, by each setting."""
    table = Table(title="Labels at the end of the crawl, ARI / purity", title_justify="left")
    for head in ("site", "group"):
        table.add_column(head)
    for setting in by_setting:
        for head in ("emitted", "template", "leaf"):
            table.add_column(f"{setting} {head}".strip(), justify="right", no_wrap=True)
    sites = next(iter(by_setting.values()))
    for site, (group, _) in sites.items():
        table.add_row(site, group, *_cells(labelled[site][1] for labelled in by_setting.values()))
    for group in ("", *dict.fromkeys(group for group, _ in sites.values())):
        parts = [
            [moment for of, moment in labelled.values() if group in ("", of)]
            for labelled in by_setting.values()
        ]
        name = f"mean of {len(parts[0])}"
        table.add_row(name, group or "all", *_cells(map(mean_moment, parts)))
    return table


def _cells(moments: Iterable[Moment]) -> list[str]:
    return [f"{quality.ari:.3f} / {quality.purity:.3f}" for moment in moments for quality in moment]
