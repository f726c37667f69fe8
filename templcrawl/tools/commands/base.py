"""The frame of every command over finished crawls: arguments, options, the work, errors, exit codes.

A command says what it takes (``inputs``), its options as text (``options``) and what is not accepted
(``check``), and does its work (``work``); one that shows tables is a ``TabularCommand`` of
:mod:`templcrawl.tools.commands.terminal`.  Works in and out of a project.  Importing this must be cheap:
Scrapy's command line loads every command on every start.

Exit codes: 0; 1 where nobody reads the output to its end; 2 for an input or options that are not accepted;
3 where records of the input could not be read (stderr shows how many) and the rest was processed; 128 and the
number of the signal that stopped it (143 for SIGTERM), with nothing left of what it had begun.

*Signals* are raised as an exception, so a command undoes what it has begun.  They are SIGTERM, SIGINT
(Ctrl-C), and SIGHUP where there is one.  A signal that is ignored (``nohup``) is left alone, and so is one
that has a handler already.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from textwrap import dedent
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


def choices(values: Iterable[str]) -> str:
    """Return choices in the notation of an option."""
    return "{" + ",".join(values) + "}"


class DescribedCommand(ScrapyCommand):
    """A command that works in and out of a project.

    arguments    what follows its options
    inputs       how many of these are inputs, and what they may be
    summary      a line of description
    description  a paragraph of description
    shared_options  options that commands of its kind have, before its own
    """

    requires_project = False
    arguments: ClassVar[str] = "INPUT"
    inputs: ClassVar[tuple[int, str]] = (
        1,
        "one INPUT: a folder of saved pages, a WARC file or a crawl archive",
    )
    summary: ClassVar[str]
    description: ClassVar[str]
    shared_options: ClassVar[str] = ""

    def syntax(self) -> str:
        """Return the arguments in the usage line of the command."""
        return f"[options] {self.arguments}"

    def short_desc(self) -> str:
        """Return a line of description."""
        return self.summary

    def long_desc(self) -> str:
        """Return a paragraph of description."""
        return self.description

    def options(self) -> str:
        """Return its options, as text (:meth:`add_options`); what they need is imported here."""
        return ""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options to those of every command.

        ``-o --output FILE=-`` has a value and a default; an ``N`` is a whole number, a ``W`` a number, and
        ``{a,b}`` are the values that it takes.  Two blanks stand before the meaning of an option.
        """
        super().add_options(parser)
        text = f"{self.shared_options}\n{dedent(self.options()).strip()}".replace("\n    ", " ")
        for line in filter(None, text.splitlines()):
            usage, _, meaning = line.partition("  ")
            names = [word for word in usage.split() if word.startswith("-")]
            value, _, default = usage.removeprefix(" ".join(names)).strip().partition("=")
            about: dict[str, Any] = {"help": meaning, "default": default or None}
            if not value:
                about = {"help": meaning, "action": "store_true"}
            elif value.startswith("{"):
                about["choices"] = value.strip("{}").split(",")
            else:
                about |= {"metavar": value, "type": {"N": int, "W": float}.get(value, str)}
            parser.add_argument(*names, **about)

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""

    def inputs_of(self, args: list[str]) -> list[str]:
        """Return the inputs; raises UsageError for another number of them."""
        unknown = [argument for argument in args if argument.startswith("-")]
        if unknown:
            refuse(f"unknown option: {unknown[0]}")
        count, what = self.inputs
        if len(args) != count:
            refuse(f"give {what}")
        return args


class PagesCommand(DescribedCommand):
    """A command over the pages of finished crawls."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def work(self, *arguments: Any) -> int:
        """Run the command; return how many records could not be read.

        arguments  the inputs, then the options
        Raises TemplcrawlError, OSError, sqlite3.Error or UsageError with what to do.
        """
        raise NotImplementedError

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the command and set its exit code.  Raises UsageError, which Scrapy turns into exit code 2."""
        import sqlite3

        from templcrawl.errors import TemplcrawlError

        inputs = self.inputs_of(args)
        self.check(opts)
        signals = StopSignals()
        try:
            with signals:
                if self.work(*inputs, opts):
                    self.exitcode = _RECORDS_LOST
        except TemplcrawlError as error:
            raise UsageError(str(error), print_help=False) from error
        except sqlite3.Error as error:
            raise UsageError(f"temporary files cannot be used: {error}", print_help=False) from error
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            self.exitcode = 1
        except OSError as error:
            # those of PyArrow's file systems have no parts
            described = f"{error.strerror}: {error.filename}" if error.strerror else str(error)
            raise UsageError(described, print_help=False) from error
        if signals.received is not None:
            self.exitcode = 128 + signals.received


def evidence(detectors: Iterable[str]) -> str:
    """Return the names of detectors with the evidence of each, for the help of an option."""
    from templcrawl.memory.detectors import DETECTORS

    return ", ".join(f"{name} ({DETECTORS[name].evidence})" for name in detectors)


def parameter_options(parameters: Mapping[str, Any]) -> str:
    """Return the options of the parameters of detectors, in the notation of a command."""
    lines = (
        f"--{name} {about.value}  {about.meaning} (for {' and '.join(about.detectors)})"
        for name, about in parameters.items()
    )
    return "\n            ".join(lines)


def given_parameters(opts: argparse.Namespace, parameters: Mapping[str, Any]) -> dict[str, float]:
    """Return the parameters of detectors that were given."""
    return {name: value for name in parameters if (value := getattr(opts, name)) is not None}


def check_parameters(opts: argparse.Namespace, detector: str) -> None:
    """Raise UsageError for parameters that a detector has not, or that are out of their bounds."""
    from templcrawl.errors import InvalidOption
    from templcrawl.tools.whole_site import PARAMETERS, new_detector

    given = given_parameters(opts, PARAMETERS)
    for name in given:
        if detector not in PARAMETERS[name].detectors:
            refuse(f"--{name} is for {' and '.join(PARAMETERS[name].detectors)}")
    if given:
        try:
            new_detector(detector, given)
        except InvalidOption as error:
            refuse(f"--{error.name}: give {error.accepted}")


def check_target(option: str, target: str) -> None:
    """Raise UsageError for the file of an option that cannot be written; - is stdout."""
    from templcrawl.files import try_file

    if target != STDOUT:
        try:
            try_file(Path(target))
        except (OSError, ValueError) as error:
            refuse(f"{option}: cannot write to {target} ({getattr(error, 'strerror', None) or error})")


def check_page(opts: argparse.Namespace, what: str) -> None:
    """Raise UsageError where ``-o`` cannot name a file of HTML, or ``--open`` has none.

    what  the file, for the error
    """
    target = opts.output
    if getattr(opts, "open", False) and target == STDOUT:
        refuse("--open needs a file: -o FILE")
    if Path(target).suffix.lower() not in ("", ".html", ".htm", ".xhtml"):
        refuse(f"-o: {what}; give a name that ends in .html, not {target}")
    check_target("-o", target)


def refuse(why: str) -> NoReturn:
    """Raise UsageError."""
    raise UsageError(why, print_help=False)


def names_folder(target: str) -> bool:
    """Return whether a target means a folder: it has no ending, ends with a slash, or is a folder.

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
    """Raise Stopped in the main program on the first signal, while the context lasts.

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
