"""The base of the commands over a finished crawl: one INPUT, errors, exit codes; for some --json and --top.

Works in and out of a project.  Importing this must be cheap: Scrapy's command line loads every command on
every start.

Exit codes: 0; 1 where nobody reads the output to its end; 2 for an input or options that are not accepted;
3 where records of the input could not be read (stderr shows how many) and the rest was processed; 128 and the
number of the signal that stopped it (143 for SIGTERM), with nothing left of what it had begun.

*Signals* end a command as an exception: it takes back what it has begun.  They are SIGTERM, SIGINT
(Ctrl-C), and SIGHUP where there is one.  A signal that is ignored (``nohup``) stays so, and one that the
program has a handler for stays with it.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, ClassVar, NoReturn

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

INPUT = (
    "INPUT is a folder of saved pages (.html, as wget saves them), a WARC file (.warc, .warc.gz, .warc.zst) "
    "or a crawl archive with bodies (its folder, or a URI such as s3://bucket/crawl)."
)
LOST = "Where records of INPUT cannot be read, the rest is worked on, and the exit status is 3."
_RECORDS_LOST = 3
STDOUT = "-"


class DescribedCommand(ScrapyCommand):
    """A command that works in and out of a project.

    arguments    what follows its options
    summary      a line of description
    description  a paragraph of description
    """

    requires_project = False
    arguments: ClassVar[str] = "INPUT"
    summary: ClassVar[str]
    description: ClassVar[str]

    def syntax(self) -> str:
        """Return what follows the command's name."""
        return f"[options] {self.arguments}"

    def short_desc(self) -> str:
        """Return a line of description."""
        return self.summary

    def long_desc(self) -> str:
        """Return a paragraph of description."""
        return self.description


class PagesCommand(DescribedCommand):
    """A command over the pages of a finished crawl."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""

    def work(self, source: str, opts: argparse.Namespace) -> int:
        """Do the work and return how many records could not be read.

        Raises TemplcrawlError, OSError or UsageError with what to do.
        """
        raise NotImplementedError

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the command.  Raises UsageError, which Scrapy turns into exit code 2."""
        (source,) = exact_arguments(
            args, "one INPUT: a folder of saved pages, a WARC file or a crawl archive"
        )
        self.check(opts)
        self.finish(lambda: self.work(source, opts))

    def finish(self, work: Callable[[], int]) -> None:
        """Do the work, which returns how many records could not be read; set the exit code.

        Raises UsageError for what it raises of ours and of the system.
        """
        from templcrawl.errors import TemplcrawlError

        signals = StopSignals()
        try:
            with signals:
                if work():
                    self.exitcode = _RECORDS_LOST
        except TemplcrawlError as error:
            raise UsageError(str(error), print_help=False) from error
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            self.exitcode = 1
        except OSError as error:
            # those of PyArrow's file systems have no parts
            described = f"{error.strerror}: {error.filename}" if error.strerror else str(error)
            raise UsageError(described, print_help=False) from error
        if signals.received is not None:
            self.exitcode = 128 + signals.received


class TablesCommand(PagesCommand):
    """One that shows tables of what it has found, or writes it as JSON."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options."""
        super().add_options(parser)
        parser.add_argument("--json", metavar="FILE", help="write JSON to FILE, - for stdout")
        parser.add_argument("--top", metavar="N", type=int, default=20, help="rows of a table (default 20)")

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        if opts.top < 1:
            refuse("--top: give a number of 1 or more")
        if opts.json:
            check_target("--json", opts.json)


def exact_arguments(args: list[str], what: str, count: int = 1) -> list[str]:
    """Return the arguments of a command that takes so many.  Raises UsageError for another number of them.

    what  their names, and what they may be
    """
    unknown = [argument for argument in args if argument.startswith("-")]
    if unknown:
        refuse(f"unknown option: {unknown[0]}")
    if len(args) != count:
        refuse(f"give {what}")
    return args


def evidence(detectors: Mapping[str, Any]) -> str:
    """Return the names of detectors with the evidence of each, for the help of an option."""
    return ", ".join(f"{name} ({detector.evidence})" for name, detector in detectors.items())


def check_target(option: str, target: str) -> None:
    """Raise UsageError for the file of an option that cannot be written; - is stdout."""
    from templcrawl.files import try_file

    if target != STDOUT:
        try:
            try_file(Path(target))
        except (OSError, ValueError) as error:
            refuse(f"{option}: cannot write to {target} ({getattr(error, 'strerror', None) or error})")


def check_html(target: str, what: str) -> None:
    """Raise UsageError where ``-o`` cannot name a file of HTML.

    what  the file, for the error
    """
    if Path(target).suffix.lower() not in ("", ".html", ".htm", ".xhtml"):
        refuse(f"-o: {what}; give a name that ends in .html, not {target}")
    check_target("-o", target)


def check_page(opts: argparse.Namespace, what: str) -> None:
    """Raise UsageError where ``-o`` cannot name a file of HTML, or ``--open`` has none."""
    if opts.open and opts.output == STDOUT:
        refuse("--open needs a file: -o FILE")
    check_html(opts.output, what)


def refuse(why: str) -> NoReturn:
    """Raise UsageError."""
    raise UsageError(why, print_help=False)


def names_folder(target: str) -> bool:
    """Return whether a target is meant as a folder: it has no ending, or a slash behind it, or is one.

    >>> [names_folder(target) for target in ("tables", "tables.v2/", "tables.csv", "-")]
    [True, True, False, False]
    """
    path = Path(target)
    return target != STDOUT and (target.endswith(("/", os.sep)) or not path.suffix or path.is_dir())


_BY_PYTHON = (signal.SIG_DFL, signal.default_int_handler)
_SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)]


class Stopped(BaseException):
    """A signal was received.  It is not an Exception, so that no handler of errors catches it."""


class StopSignals(AbstractContextManager["StopSignals"]):
    """While the context lasts, the first signal raises Stopped where the program is.

    Signals that follow are dropped, so that they do not disturb what the first one has set going.  What
    leaves the context after a signal ends there: libraries make other exceptions of Stopped.

    received  the signal that has come, None: none
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> StopSignals:
        if current_thread() is main_thread():
            handlers = {number: signal.getsignal(number) for number in _SIGNALS}
            self._before = {number: handler for number, handler in handlers.items() if handler in _BY_PYTHON}
        for number in self._before:
            signal.signal(number, self._stop)
        return self

    def __exit__(self, *exception: object) -> bool:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        return self.received is not None

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self.received is None:
            self.received = number
            raise Stopped(signal.Signals(number).name)
