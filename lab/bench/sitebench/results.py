"""The tables of a run, as Markdown and as JSON: the means of each tool, and its F1 on each site.

A row is the mean over the pages of a site, then over the sites; only sites that all tools were scored on.
Cost: O(scores).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lab.bench.site_runs import Figures, Run, figures_of
from lab.bench.sitebench.scores import rounded
from lab.bench.sitebench.tools import Tool

_HEAD = ("tool", "version", "mode", "F1", "precision", "recall", "facts", "furniture", "worst site", "failed")


def figures_by_tool(runs: Sequence[Run], tools: Iterable[Tool], pages: int) -> dict[str, Figures]:
    """Return tool -> its figures over all sites, the best F1 first; only tools with a scored page."""
    by_tool = {
        tool.name: figures
        for tool in tools
        if (figures := figures_of([run for run in runs if run.method == tool.name], pages))
    }
    return dict(sorted(by_tool.items(), key=lambda item: (-item[1].mean.f1, item[0])))


def as_json(figures: dict[str, Figures], tools: Iterable[Tool], pages: int) -> dict[str, Any]:
    """Return the figures as plain data, rounded to six digits."""
    by_name = {tool.name: tool for tool in tools}
    return {
        "pages": pages,
        "tools": {
            name: {
                "version": by_name[name].version(),
                "mode": by_name[name].mode,
                **rounded(one.mean),
                "failed": one.failed,
                "scored": one.scored,
                "errors": dict(sorted(one.errors.items())),
                "f1 of sites": {site: round(score.f1, 6) for site, score in sorted(one.sites.items())},
            }
            for name, one in figures.items()
        },
    }


def as_markdown(
    figures: dict[str, Figures], tools: Iterable[Tool], pages: int, missing: Sequence[str]
) -> str:
    """Return the two tables, and below them what was raised and which tools could not be run."""
    by_name = {tool.name: tool for tool in tools}
    sites = sorted({site for one in figures.values() for site in one.sites})
    lines = [f"# Template detection on {len(sites)} sites", "", f"Pages 2 to {pages} of each site.", ""]
    lines += _table(_HEAD, [_row(by_name[name], one) for name, one in figures.items()])
    lines += ["", "## F1 of each site", ""]
    rows = [
        [site, *(f"{one.sites[site].f1:.3f}" if site in one.sites else "" for one in figures.values())]
        for site in sites
    ]
    lines += _table(("site", *figures), rows)
    raised = [
        f"- {name}: {times} x {error}"
        for name, one in figures.items()
        for error, times in sorted(one.errors.items())
    ]
    for title, part in (("Raised", raised), ("Not run", [f"- {why}" for why in missing])):
        lines += ["", f"## {title}", "", *part] if part else []
    return "\n".join(lines) + "\n"


def _row(tool: Tool, figures: Figures) -> list[str]:
    precision, recall, f1, facts, furniture, _ = figures.mean
    worst = f"{figures.worst} {figures.sites[figures.worst].f1:.3f}"
    shares = (f1, precision, recall, facts, furniture)
    cells = ["" if share is None else f"{share:.3f}" for share in shares]
    return [tool.name, tool.version(), tool.mode, *cells, worst, f"{figures.failed} of {figures.scored}"]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


def write_tables(
    runs: Sequence[Run], tools: Sequence[Tool], pages: int, missing: Sequence[str], results: Path
) -> str:
    """Write ``table.md`` and ``table.json`` into a folder; return the Markdown."""
    figures = figures_by_tool(runs, tools, pages)
    markdown = as_markdown(figures, tools, pages, missing)
    results.mkdir(parents=True, exist_ok=True)
    (results / "table.md").write_text(markdown, encoding="utf-8")
    data = json.dumps(as_json(figures, tools, pages), indent=1) + "\n"
    (results / "table.json").write_text(data, encoding="utf-8")
    return markdown
