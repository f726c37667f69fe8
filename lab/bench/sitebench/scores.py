"""Score tools on built sites, a result file for each site and tool, so that a stopped run goes on where it
was.

A result holds the scores of each page and, as its key, the digest of all that decides them: the pages, what
marks their content, the tool with its version, mode and adapter, and the rules of the score.  One whose key
is as it would be now is not made again.  Times stand in a folder of their own: results are equal to the byte
from run to run, times are not.

*Tables*, as Markdown and as JSON: the means of each tool, and its F1 on each site.  A row is the mean over
the pages of a site, then over the sites; only sites that all tools were scored on.

How pages are scored, and what is a mean of what: :mod:`lab.bench.site_runs`. Cost: one run of each tool over
each site.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from lab.bench.saved_sites import SavedSite, corpus_sites
from lab.bench.site_runs import MIN_GOLD, Figures, PageScore, Run, Shares, Task, figures_of, run, tasks_of
from lab.bench.sitebench.tools import Tool, method_of
from templcrawl import __version__

Report = Callable[[str], None]
"""Takes a line of progress."""

_FORMAT = 1
SHARES = ("precision", "recall", "f1", "facts", "furniture")


def scored_sites(corpora: Path, *, weak: bool = False) -> list[SavedSite]:
    """Return the sites of a folder that are scored; weak ones, too, if asked for."""
    entries = json.loads((corpora / "sites.json").read_text(encoding="utf-8"))
    return [site for site in corpus_sites(corpora) if weak or entries[site.name].get("gold") != "weak"]


def score_sites(
    sites: Sequence[SavedSite],
    tools: Sequence[Tool],
    pages: int,
    results: Path,
    report: Report,
    *,
    again: bool = False,
) -> list[Run]:
    """Return the runs of all tools on all sites, those that are stored and those that are made now.

    again  make all of them now
    """
    runs: list[Run] = []
    for nth, site in enumerate(sites, 1):
        tasks = tasks_of(site, pages)
        for tool in tools:
            stored = results / "scores" / site.name / f"{tool.name}.json"
            key = _key_of(site, tasks, tool, pages)
            found = None if again else _read(stored, key)
            if found is None:
                found = run(site, method_of(tool), tasks, pages)
                _write(stored, _as_data(found, key))
                seconds = found.learn_seconds + found.ask_seconds
                _write(
                    results / "times" / site.name / f"{tool.name}.json", {"cpu seconds": round(seconds, 3)}
                )
                failed = sum(page.failed for page in found.scores)
                about = f"{len(found.scores)} pages" + (f", {failed} failed" if failed else "")
                report(f"{nth} of {len(sites)}: {site.name}: {tool.name}: {about}, {seconds:.1f} s")
            runs.append(found)
        report(f"{nth} of {len(sites)}: {site.name}: done")
    return runs


def _key_of(site: SavedSite, tasks: Sequence[Task], tool: Tool, pages: int) -> str:
    rules = {
        "format": _FORMAT,
        "templcrawl": __version__,
        "site": [site.name, site.group, site.content],
        "tool": [tool.name, tool.mode, tool.version(), tool.source()],
        "pages": pages,
        "least gold": MIN_GOLD,
    }
    digest = hashlib.sha256(json.dumps(rules, sort_keys=True).encode())
    for task in tasks:
        gold = sorted((task.gold or Counter()).items())
        digest.update(json.dumps([task.url, task.html, gold]).encode("ascii"))
    return digest.hexdigest()


def _as_data(found: Run, key: str) -> dict[str, Any]:
    return {
        "key": key,
        "site": found.site,
        "group": found.group,
        "tool": found.method,
        "errors": dict(sorted(found.errors.items())),
        "pages": [
            {"number": page.number, "failed": page.failed, **rounded(page.score)} for page in found.scores
        ],
    }


def rounded(shares: Shares) -> dict[str, float | None]:
    """Return the shares of a table with six digits."""
    return {name: None if share is None else round(share, 6) for name, share in zip(SHARES, shares)}


def _read(file: Path, key: str) -> Run | None:
    """Return a stored result, None if there is none of this key or it cannot be read."""
    try:
        data = json.loads(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
    if data.get("key") != key:
        return None
    scores = [
        PageScore(page["number"], Shares(*map(page.get, SHARES)), page["failed"]) for page in data["pages"]
    ]
    return Run(data["site"], data["group"], data["tool"], scores, Counter(data["errors"]))


def _write(file: Path, data: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(f".{os.getpid()}")
    partial.write_text(json.dumps(data, indent=1) + "\n", encoding="ascii")
    partial.replace(file)


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
