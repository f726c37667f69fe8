"""Git repositories of generated sites as local mirrors, and the table that lists them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from lab.bench.sitebench.site_table import SITES
from lab.sites.generated import generate_demo_site

COLUMNS = SITES.read_text(encoding="utf-8").splitlines()[0].split("\t")


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, as someone and at some time that are always the same."""
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in _WHO.items()}
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **who},
    )
    return done.stdout.strip()


_WHO = {"NAME": "A", "EMAIL": "a@site.example", "DATE": "2026-01-01T00:00:00Z"}


def make_repository(mirror: Path, repository: str, files: Mapping[str, str | bytes]) -> str:
    """Make a repository with a commit of these files and an empty one upon it; return the first."""
    folder = mirror / repository
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message", "pages")
    commit = git(folder, "rev-parse", "HEAD")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "later")
    return commit


def shop_files(folder: str, articles: int) -> dict[str, str]:
    """Return the files of a generated site below a folder, its content in ``<main>``."""
    site = generate_demo_site(articles=articles, products=6, chapters=4)
    return {
        f"{folder}{path.lstrip('/')}{'index.html' if path.endswith('/') else ''}": page.html
        for path, page in site.pages.items()
    }


def write_table(file: Path, *rows: Mapping[str, str]) -> Path:
    """Write a table of sites; what a row leaves out is as for a generated site."""
    usual = {"date": "2026-01-01", "start": "index.html", "hosts": "tea.example", "content": "//main"}
    lines = [{**dict.fromkeys(COLUMNS, ""), **usual, "licence": "none stated", **row} for row in rows]
    text = "\n".join("\t".join(line[column] for column in COLUMNS) for line in lines)
    file.write_text("\t".join(COLUMNS) + "\n" + text + "\n", encoding="utf-8")
    return file
