"""Fetch the pages of one commit of a repository by git, as little else as possible.

The commit alone is fetched, without its history, and of its files only those that may be pages: a filter
leaves the contents out at first, and the checkout asks for those it needs.  A commit that is not written
out is looked up among the commits of all branches, without their files.

A *mirror* is a folder with ``owner/name.git`` or ``owner/name``, bare or not; with one, nothing is asked of
the network.  Cost: the size of the pages; for a commit that is not written out, that of the history's
commits, too.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.bench.sitebench.site_table import SEARCHED, ListedSite

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
