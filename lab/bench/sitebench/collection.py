"""Build the folder of saved sites that the benchmarks read, from the table and the repositories.

The folder has the form of ``lab.bench.saved_sites.corpus_sites``: a folder of pages a site beside
``sites.json``.  So all benchmarks with ``--corpora`` read it, not this one alone.

A site is built in a folder of its own and then put in place, with a note in ``built/NAME.json`` of the row
and the rules that it was built by.  A site whose note is as it would be written now is not built again, so
a run that was stopped goes on where it was.

*Repositories.*  The commit alone is fetched, without its history, and of its files only those that may be
pages: a filter leaves the contents out at first, and the checkout asks for those it needs.  A commit that
is not written out is looked up among the commits of all branches, without their files.

A *mirror* is a folder with ``owner/name.git`` or ``owner/name``, bare or not; with one, nothing is asked of
the network.  Cost, beside that of :mod:`.selection`: the size of the pages; for a commit that is not
written out, that of the history's commits, too.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lab.bench.saved_sites import SavedSite, host_of
from lab.bench.sitebench import selection
from lab.bench.sitebench.selection import Selection, select_pages
from lab.bench.sitebench.site_table import RULES, SEARCHED, ListedSite, type_rules

HOST = "https://github.com"
_WHOLE = 40
_NO_PAGES = (
    "7z avi bmp bz2 css csv dll doc docx eot exe gif gz ico jar jpeg jpg js json less m4a m4v map "
    "mov mp3 mp4 mpeg mpg odt ogg ogv otf pdf png ppt pptx psd rar rss scss svg swf tar tgz tif tiff "
    "ttf txt wav webm webp wmv woff woff2 xls xlsx xml xz zip"
).split()
_FETCH = ("fetch", "--quiet", "--no-tags")


class FetchError(Exception):
    """A site cannot be fetched; says what git said."""

    def __init__(self, site: str, reason: str) -> None:
        super().__init__(f"{site}: {reason}")


def source_of(site: ListedSite, mirror: Path | None) -> str:
    """Return the address of a site's repository, or of its mirror; raises FetchError."""
    if mirror is None:
        return f"{HOST}/{site.repository}.git"
    for folder in (mirror / f"{site.repository}.git", mirror / site.repository):
        if folder.is_dir():
            return folder.resolve().as_uri()
    raise FetchError(site.name, f"no mirror {mirror / site.repository}.git")


def fetch(site: ListedSite, folder: Path, mirror: Path | None = None) -> tuple[str, Path]:
    """Fetch the pages of a site into an empty folder; return the commit, written out, and the site's folder.

    Raises FetchError.
    """
    source = source_of(site, mirror)
    commit = site.commit if len(site.commit) == _WHOLE else _whole_commit(site, source)
    _git(site, folder, "init", "--quiet")
    _git(site, folder, "remote", "add", "origin", source)
    _git(site, folder, *_FETCH, "--depth", "1", "--filter=blob:none", "origin", commit)
    within = _folder_of(site, _git(site, folder, "ls-tree", "-r", "-z", "--name-only", commit).split("\0"))
    root = f"/{within}/" if within else "/"
    ends = [form(end) for end in _NO_PAGES for form in (str.lower, str.upper)]
    patterns = [f"{root}*", *(f"!*.{end}" for end in ends), *(f"*.{end}/" for end in ends)]
    _git(site, folder, "sparse-checkout", "set", "--no-cone", "--stdin", given="\n".join(patterns))
    _git(site, folder, "checkout", "--quiet", "--detach", commit)
    return commit, folder / within


def _whole_commit(site: ListedSite, source: str) -> str:
    """Return the commit that a site's digits begin, from the commits of all branches."""
    with TemporaryDirectory() as name:
        history = Path(name)
        _git(site, history, "init", "--quiet", "--bare")
        _git(site, history, *_FETCH, "--filter=tree:0", source, "+refs/heads/*:refs/heads/*")
        return _git(site, history, "rev-parse", "--verify", "--quiet", f"{site.commit}^{{commit}}").strip()


def _folder_of(site: ListedSite, paths: list[str]) -> str:
    if site.folder != SEARCHED:
        start = f"{site.folder}/{site.start}".lstrip("/")
        if start in paths:
            return site.folder
    below = f"/{site.start}"
    holding = sorted(
        (
            path.removesuffix(below) if path != site.start else ""
            for path in paths
            if f"/{path}".endswith(below)
        ),
        key=lambda folder: (len(folder.split("/")) if folder else 0, folder),
    )
    if site.folder == SEARCHED and holding:
        return holding[0]
    elsewhere = f"; {', '.join(holding[:3]) or 'the root'} has it" if holding else ""
    raise FetchError(site.name, f"no start page {site.start} in {site.folder or 'the root'}{elsewhere}")


def _git(site: ListedSite, folder: Path, *arguments: str, given: str = "") -> str:
    """Run git in a folder; return what it prints, raise what it says."""
    command = ["git", "-c", "core.autocrlf=false", "-c", "core.quotePath=false", "-c", "core.symlinks=false"]
    command += ["-c", "core.hooksPath=/dev/null", "-C", str(folder), *arguments]
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1", "LC_ALL": "C"}
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        environment.pop(name, None)
    done = subprocess.run(
        command,
        input=given.encode(),
        capture_output=True,
        env=environment,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        what = next((line for line in lines if line.startswith(("fatal:", "error:"))), "no such commit")
        raise FetchError(site.name, f"git {arguments[0]} of {site.repository} at {site.commit}: {what}")
    return os.fsdecode(done.stdout)


Report = Callable[[str], None]
"""Takes a line of progress."""

_NOTES = "built"
_LIMITS = ("PAGES", "CAP", "MIN_BYTES", "MAX_BYTES", "SITE_BYTES")


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
