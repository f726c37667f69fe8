"""Build the folder of saved sites that the benchmarks read, from the table and the repositories.

The folder has the form of ``lab.bench.saved_sites.corpus_sites``: a folder of pages a site beside
``sites.json``.  So all benchmarks with ``--corpora`` read it, not this one alone.

A site is built in a folder of its own and then put in place, with a note in ``built/NAME.json`` of the row
and the rules that it was built by.  A site whose note is as it would be written now is not built again, so
a run that was stopped goes on where it was.  Cost: see :mod:`.repositories` and :mod:`.selection`, a site.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lab.bench.saved_sites import SavedSite, host_of
from lab.bench.sitebench import selection
from lab.bench.sitebench.repositories import FetchError, fetch
from lab.bench.sitebench.selection import Selection, select_pages
from lab.bench.sitebench.site_table import RULES, ListedSite, type_rules

Report = Callable[[str], None]
"""Takes a line of progress."""

_NOTES = "built"
_LIMITS = ("PAGES", "CAP", "LEAST_BYTES", "MOST_BYTES", "SITE_BYTES")


def build(
    sites: Sequence[ListedSite], corpora: Path, mirror: Path | None, report: Report
) -> list[FetchError]:
    """Build the sites that are not yet built, and ``sites.json``; return why some could not be."""
    (corpora / _NOTES).mkdir(parents=True, exist_ok=True)
    errors: list[FetchError] = []
    for nth, site in enumerate(sites, 1):
        at = f"{nth} of {len(sites)}: {site.name}"
        if _is_built(site, corpora):
            report(f"{at}: there")
            continue
        try:
            note = _build_site(site, corpora, mirror)
        except FetchError as error:
            errors.append(error)
            report(f"{at}: failed: {error}")
        else:
            left_out = ", ".join(f"{count} {reason}" for reason, count in note["left_out"].items())
            report(f"{at}: {note['pages']} pages; left out: {left_out or 'none'}")
        _write_index(corpora)
    return errors


def _recipe(site: ListedSite) -> dict[str, Any]:
    """Return what decides how a site is built, as JSON gives it back."""
    limits = {name: getattr(selection, name) for name in _LIMITS}
    rules = [
        line for line in RULES.read_text(encoding="utf-8").splitlines() if line.startswith(f"{site.types}\t")
    ]
    recipe: dict[str, Any] = json.loads(json.dumps({"row": site.row(), "limits": limits, "rules": rules}))
    return recipe


def _is_built(site: ListedSite, corpora: Path) -> bool:
    note = corpora / _NOTES / f"{site.name}.json"
    return (
        note.exists()
        and (corpora / site.name).is_dir()
        and json.loads(note.read_text(encoding="ascii"))["recipe"] == _recipe(site)
    )


def _build_site(site: ListedSite, corpora: Path, mirror: Path | None) -> dict[str, Any]:
    """Fetch a site, select its pages and put them in place with a note, which is returned."""
    note = corpora / _NOTES / f"{site.name}.json"
    note.unlink(missing_ok=True)
    with TemporaryDirectory(dir=corpora, prefix=".") as work:
        checkout, made = Path(work, "checkout"), Path(work, "site")
        checkout.mkdir()
        commit, folder = fetch(site, checkout, mirror)
        saved = SavedSite(
            site.name, "", folder, site.start, site.hosts or (host_of(site.name),), site.content
        )
        chosen = select_pages(saved, type_rules(site.types))
        for path in chosen.paths:
            (made / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / path, made / path)
        shutil.rmtree(corpora / site.name, ignore_errors=True)
        made.rename(corpora / site.name)
    written = _note_of(site, commit, chosen)
    partial = note.with_suffix(".partial")
    partial.write_text(json.dumps(written, indent=1, sort_keys=True) + "\n", encoding="ascii")
    partial.replace(note)
    return written


def _note_of(site: ListedSite, commit: str, chosen: Selection) -> dict[str, Any]:
    """Return the note of a site: the recipe, and its entry in ``sites.json``."""
    entry: dict[str, Any] = {
        "start": site.start,
        "hosts": list(site.hosts),
        "content": list(site.content),
        "page_types": chosen.types if site.types else None,
    }
    entry.update({name: value for name in ("added", "gold") if (value := getattr(site, name))})
    return {
        "recipe": _recipe(site),
        "commit": commit,
        "pages": len(chosen.paths),
        "left_out": dict(sorted(chosen.left_out.items())),
        "entry": entry,
    }


def _write_index(corpora: Path) -> None:
    notes = {
        note.stem: json.loads(note.read_text("ascii")) for note in sorted((corpora / _NOTES).glob("*.json"))
    }
    entries = {name: note["entry"] for name, note in notes.items() if (corpora / name).is_dir()}
    partial = corpora / f"sites.json.{os.getpid()}"
    partial.write_text(json.dumps(entries, indent=1) + "\n", encoding="ascii")
    partial.replace(corpora / "sites.json")
