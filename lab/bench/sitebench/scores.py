"""Score tools on built sites, a result file for each site and tool, so that a stopped run goes on where it
was.

A result holds the scores of each page and, as its key, the digest of all that decides them: the pages, what
marks their content, the tool with its version, mode and adapter, and the rules of the score.  One whose key
is as it would be now is not made again.  Times stand in a folder of their own: results are equal to the byte
from run to run, times are not.

How pages are scored, and what is a mean of what: :mod:`lab.bench.site_runs`. Cost: one run of each tool over
each site.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lab.bench.saved_sites import SavedSite, corpus_sites
from lab.bench.site_runs import LEAST_GOLD, PageScore, Run, Shares, Task, run, tasks_of
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
        "least gold": LEAST_GOLD,
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
