"""The command line: options, sources, exit codes, the summary.

Exit codes: 0; 1 where no page was read; 2 for what is not accepted; 130 after Ctrl-C, when the same line goes
on.  Data go to stdout (``-o -``, ``--print-settings``), all else to stderr.
"""

from __future__ import annotations

import sqlite3
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from templcrawl.command.crawl_job import ENDED, HERE, Outcome, crawl, project_text
from templcrawl.crawl.site_spider import AddressFilter, checked_addresses, read_addresses
from templcrawl.crawl.stored_site import LIMIT
from templcrawl.errors import InvalidOption, TemplcrawlError, pluralize, suggestion
from templcrawl.files import FileLock, empty_folder
from templcrawl.outputs.page_file import PageFile
from templcrawl.outputs.page_rows import DEFAULT_FIELDS, FIELDS
from templcrawl.page.saved_pages import CrawlReader, is_host_name
from templcrawl.tools.commands.terminal import StatusLine, report_unreadable
from templcrawl.tools.kept_pages import keep_pages
from templcrawl.tools.readers import ENDINGS, open_pages
from templcrawl.tools.site_files import Lines, write_files

_STDOUT = "-"
_MANY_BARE = 0.8  # share of pages with scripts and next to no text that is worth a sentence
_NEXT = "next: the same line reads what has changed; with --print-settings it is a project\n"
_MAX_REASONS = 5
_LIMIT = 10_000  # pages, by default: some sites have no end
_ABOUT = (
    "Crawl a site, and write its pages as Markdown, tables, a report, and what has changed. The same line "
    "again goes on with a crawl that was stopped; after a crawl has ended, it reads what has changed."
)


def parser() -> ArgumentParser:
    """Return the parser of the options."""
    options = ArgumentParser("templcrawl", description=_ABOUT)
    add = options.add_argument
    add("address", help="a URL or a file of URLs; or saved pages: a folder, a WARC or WACZ file")
    add("-o", "--output", metavar="FOLDER", help="named after the host by default; -: pages go to stdout")
    add("--limit", type=int, default=_LIMIT, metavar="N", help="at most so many pages (%(default)s; 0: all)")
    add("--topic", default="", metavar="WORDS", help='pages with these first, such as "solar power, wind"')
    add("--like", default="", metavar="URL", help="pages like this one first; up to three, with commas")
    add("--include", default="", metavar="PATTERN", help="follow only links whose address matches")
    add("--exclude", default="", metavar="PATTERN", help="follow no link whose address matches")
    add("--delay", type=float, metavar="SECONDS", help="between requests to a host (1; on this machine 0)")
    add("--render", action="store_true", help="let a browser render the pages (needs scrapy-playwright)")
    add("--fields", default=",".join(DEFAULT_FIELDS), metavar="NAMES", help="of pages.jsonl (%(default)s)")
    add("--markdown-files", action="store_true", help="write each page as a file of Markdown, too")
    add("--fresh", action="store_true", help="forget earlier crawls")
    add("--quiet", action="store_true", help="print errors only")
    add("-s", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="a setting of Scrapy")
    add("--print-settings", action="store_true", help="print a Scrapy project that does the same")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit code."""
    options = parser().parse_args(arguments)
    try:
        _check(options)
        source = _source(options.address)
        if options.print_settings:
            if not isinstance(source, list):
                raise InvalidOption("--print-settings", options.address, "an address that is crawled with it")
            sys.stdout.write(project_text(options, source, options.fields))
            return 0
        if options.output != _STDOUT:
            return _run(options, source, Path(options.output or _name_of(options.address)))
        with TemporaryDirectory() as spare:
            code = _run(options, source, Path(spare))
            if code != 1:
                sys.stdout.write(Path(spare, "pages.jsonl").read_text("utf-8"))
        return code
    except KeyboardInterrupt:
        sys.stderr.write("stopped; the same line goes on\n")
        return 130
    except (TemplcrawlError, ValueError, OSError, sqlite3.Error) as error:
        is_state = isinstance(error, sqlite3.Error) or getattr(error, "name", "") == "TEMPLCRAWL_STORE"
        sys.stderr.write(f"templcrawl: {error}{'; --fresh begins anew' if is_state else ''}\n")
        return 2


def _check(options: Namespace) -> None:
    options.fields = [name.strip() for name in options.fields.split(",")]
    if unknown := {*options.fields} - {*FIELDS}:
        near = suggestion(unknown, FIELDS)
        raise InvalidOption("--fields", ",".join(sorted(unknown)), f"some of {', '.join(FIELDS)}{near}")
    pairs = [setting.partition("=") for setting in options.settings]
    if wrong := [name for name, equals, _ in pairs if not (name and equals)]:
        raise InvalidOption("-s", wrong[0], "NAME=VALUE")
    options.settings = {name: value for name, _, value in pairs}
    if options.limit < 0 or (options.delay or 0) < 0:
        raise InvalidOption("--limit or --delay", min(options.limit, options.delay or 0), "0 or more")
    if options.like:
        checked_addresses(options.like.split(","))
    options.filter = AddressFilter(options.include, options.exclude)


def _source(address: str) -> list[str] | CrawlReader:
    """Return the addresses to crawl, or the reader of what is saved."""
    path, host = Path(address), address.partition("/")[0]
    if "://" in address:
        return checked_addresses([address])
    if (address and path.is_dir()) or address.lower().endswith(ENDINGS):
        return open_pages(path)
    if not path.is_file() and is_host_name(host):
        return [f"{'http' if host.partition(':')[0] in HERE else 'https'}://{address}"]
    if path.is_file():
        return read_addresses(path)
    accepted = "a URL, a file with a URL on each line, a saved folder, a WARC or a WACZ file"
    raise InvalidOption("address", address, accepted)


def _name_of(address: str) -> str:
    host = urlsplit(address).netloc if "://" in address else ""
    return host.replace(":", "-") or f"{Path(address.rstrip('/')).name.partition('.')[0]}-pages"


def _run(options: Namespace, source: list[str] | CrawlReader, folder: Path) -> int:
    job = folder / "job"
    if not (job.is_dir() or not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))):
        raise InvalidOption("-o", str(folder), "a new folder, or one that this command has made")
    job.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(job / "lock")
    except BlockingIOError:
        raise InvalidOption("-o", str(folder), "a folder on which no other crawl is at work") from None
    if options.fresh:
        empty_folder(job, but=lock.path)
    stored = PageFile(job / "pages.sqlite")
    try:
        if (known := stored.get("address")).rstrip("/") not in ("", options.address.rstrip("/")):
            raise InvalidOption("-o", str(folder), f"another folder, or --fresh: this one has {known}")
        stored.set(address=options.address)
        if stored.get("is_running") and not options.quiet:
            sys.stderr.write(f"continues where it was stopped, with {pluralize(stored.total, 'page')}\n")
        outcome, written = None, Lines()
        with StatusLine() as line:
            tell = (lambda text: None) if options.quiet else line.tell
            if isinstance(source, list):
                outcome = crawl(options, source, stored, job, tell)
            else:
                keep_pages(source, stored, job, tell, options.filter.follows, options.limit)
            if stored.total:
                has_tree = options.markdown_files
                written = write_files(stored, folder, options.fields, with_tree=has_tree, tell=tell)
        if not options.quiet or not stored.total:
            _report(folder, written if options.output != _STDOUT else ())
            if outcome is not None:
                _report_outcome(options, outcome, has_pages=bool(stored.total))
            elif not isinstance(source, list):
                report_unreadable(source.unreadable, source.capped)
                if not stored.total:
                    sys.stderr.write(f"no page of {options.address} was read\n")
        is_stopped = outcome is not None and outcome.reason not in ENDED
        return 1 if not stored.total else 130 if is_stopped else 0
    finally:
        stored.close()
        lock.release()


def _report(folder: Path, written: Iterable[tuple[str, str]]) -> None:
    """Print where the results are."""
    lines = {name if name.startswith("no ") else str(folder / name): what for name, what in written}
    for name, what in lines.items():
        sys.stderr.write(f"{name:<{max(map(len, lines))}}  {what}\n")


def _report_outcome(options: Namespace, outcome: Outcome, *, has_pages: bool) -> None:
    """Print what a crawl has missed, and why; then what to try next."""
    for reason, count, example in outcome.failures[:_MAX_REASONS]:
        sys.stderr.write(f"{count:,} not read: {reason}, such as {example}\n")
    if more := sum(count for _, count, _ in outcome.failures[_MAX_REASONS:]):
        sys.stderr.write(f"{more:,} not read for other reasons, see job/log.txt\n")
    pages = outcome.stats.get("templcrawl/pages", 0)
    bare = outcome.stats.get("templcrawl/pages/without_text", 0)
    if bare and bare >= _MANY_BARE * pages and not options.render:
        said = f"pages with scripts and next to no text: {bare:,} of {pages:,}"
        sys.stderr.write(f"{said}. A browser makes their text: add --render --fresh\n")
    if errors := sum(count for name, count in outcome.stats.items() if name.startswith("templcrawl/errors/")):
        sys.stderr.write(f"errors of templcrawl: {errors:,}, see job/log.txt\n")
    if outcome.reason == LIMIT:
        sys.stderr.write(f"the folder is full: --limit {options.limit}\n")
    if outcome.reason not in ENDED:
        sys.stderr.write(f"stopped ({outcome.reason}); the same line goes on; job/log.txt has more\n")
    elif not has_pages:
        sys.stderr.write(f"no page of {options.address} was read\n")
    else:
        sys.stderr.write(_NEXT)
