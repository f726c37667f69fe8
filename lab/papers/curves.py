"""Curves for the documents, drawn as SVG by matplotlib (the extra bench); imported, not run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from lab.bench.peers import library


class Line(NamedTuple):
    """A curve; lines of one colour belong together."""

    points: Mapping[int, float]
    colour: int
    style: str


def draw(
    path: Path,
    lines: Mapping[str, Line],
    axes_are: tuple[str, str],
    *,
    ticks: Sequence[int],
    scale: str = "linear",
    marks: Sequence[tuple[int, str]] = (),
) -> None:
    """Draw labelled lines, the same file for the same figures; raises PeerMissing.

    marks  (where a dotted vertical line stands, its label), in the colours of the lines
    """
    matplotlib = library("matplotlib")
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "templcrawl"
    pyplot = library("matplotlib.pyplot")
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for label, line in lines.items():
        at, values = list(line.points), list(line.points.values())
        style = {"color": f"C{line.colour}", "linestyle": line.style, "marker": "o", "markersize": 3}
        axes.plot(at, values, label=label, **style)
    for number, (at, label) in enumerate(marks):
        axes.axvline(at, color=f"C{number}", linestyle=":", label=label)
    axes.set_xscale(scale)
    axes.set_xticks(list(ticks), list(map(str, ticks)))
    axes.minorticks_off()
    axes.set_xlabel(axes_are[0])
    axes.set_ylabel(axes_are[1])
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, format="svg", metadata={"Date": None})
    pyplot.close(figure)
