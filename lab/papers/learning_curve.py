"""How well does a detector do on the n-th page of a site that it has read from the first on?

The early points are one page of each site; the later ones average the pages around them, so that a
single odd page does not move them.  The mean is over the sites that have a scored page there: their
number falls as n grows, so it is printed beside the means.

Cost: O(pages).
Last run at 1e631aa.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean

from rich.table import Table

from lab.bench.options import new_parser
from lab.bench.peers import library
from lab.bench.separation import CHOICES, choose, run_sites
from lab.bench.site_runs import Run, all_methods
from lab.bench.tables import report, table_of

WINDOWS: dict[int, tuple[int, int]] = {
    1: (1, 1),
    2: (2, 2),
    3: (3, 3),
    5: (4, 6),
    10: (8, 12),
    25: (20, 30),
    50: (40, 60),
    100: (90, 100),
}
"""Point of the curve -> the first and the last page that it averages."""
STYLES = ("-", "--", "-.", ":")


Curves = dict[tuple[str, str], dict[int, list[float]]]
"""(group, method) -> point -> F1 of each site with a scored page there."""


def curves_of(runs: Iterable[Run]) -> Curves:
    """Return the curves; several runs of a site are one site."""
    scores: dict[tuple[str, str, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        for page in run.scores:
            for point, (first, last) in WINDOWS.items():
                if first <= page.number <= last:
                    scores[run.group, run.method, point][run.site].append(page.score.f1)
    curves: Curves = {}
    for group, method, point in sorted(scores, key=lambda key: key[2]):
        curves.setdefault((group, method), {})[point] = [*map(fmean, scores[group, method, point].values())]
    return curves


def curve_table(curves: Curves) -> Table:
    """Return the curves as a table."""
    rows = [
        [
            *names,
            *(
                f"{fmean(curve[point]):.3f} ({len(curve[point])})" if point in curve else ""
                for point in WINDOWS
            ),
        ]
        for names, curve in curves.items()
    ]
    title = "Learning curve: mean F1 over sites at the n-th page (sites)"
    return table_of(title, ["group", "method", *map(str, WINDOWS)], rows, left=2)


def plot(curves: Curves, path: Path) -> None:
    """Draw the curves as SVG, the same file for the same figures; raises PeerMissing."""
    matplotlib = library("matplotlib")
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "templcrawl"
    pyplot = library("matplotlib.pyplot")
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    groups = list(dict.fromkeys(group for group, _ in curves))
    methods = list(dict.fromkeys(method for _, method in curves))
    for (group, method), curve in curves.items():
        axes.plot(
            list(curve),
            [fmean(f1) for f1 in curve.values()],
            label=f"{method}, {group}",
            color=f"C{groups.index(group)}",
            linestyle=STYLES[methods.index(method) % len(STYLES)],
            marker="o",
            markersize=3,
        )
    axes.set_xscale("log")
    axes.set_xticks(list(WINDOWS), list(map(str, WINDOWS)))
    axes.minorticks_off()
    axes.set_xlabel("page of the site")
    axes.set_ylabel("mean F1 over sites")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, format="svg", metadata={"Date": None})
    pyplot.close(figure)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.papers.learning_curve", __doc__, CHOICES)
    parser.add_argument("--plot", metavar="FILE.svg", type=Path, help="draw the curves; needs matplotlib")
    options = parser.parse_args(arguments)
    sites, methods = choose(parser, options, [one for one in all_methods().values() if one.ours])
    pages = max(last for _, last in WINDOWS.values())
    curves = curves_of(run_sites(sites, methods, pages, options.jobs))
    report({"curve": curve_table(curves)}, options.figures)
    if options.plot:
        plot(curves, options.plot)


if __name__ == "__main__":
    main()
