"""Processes of Scrapy that need not import it: each is forked from one that has imported it, and no more.

    python -W default -m tests.scrapy_processes

imports Scrapy and templcrawl, then reads jobs, a line of JSON each: the environment, files for the output and
the log, the arguments of ``scrapy`` and settings; without settings it is a program of the tests and its
arguments.  A job is run by a process forked for it, from the loading of the project's settings to the end of
the interpreter; its id is printed as it begins, and its exit status when it is over.  A crawl thereby costs
what it does itself, more than a second of CPU less than from nothing.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from select import select
from typing import Any

from scrapy.cmdline import execute
from scrapy.settings import default_settings
from scrapy.utils.project import get_project_settings

from lab.sites.generated import generate_demo_site
from templcrawl.page import kernel

WITHOUT = "TESTS_WITHOUT_MODULES"
"""The variable of a job's environment that names modules which it cannot import, with spaces between."""

ROOT = Path(__file__).parent.parent
WARNING = ["-W", "default", "-W", "ignore::ResourceWarning:scrapy.pqueues"]
IMPORTED = (
    "lab.sites.shop.items",
    "numpy.ma",
    "pydantic",
    "pytest",
    *(f"scrapy.commands.{name}" for name in "check crawl runspider settings shell version view".split()),
    *(f"scrapy.core.downloader.handlers.{name}" for name in "datauri file ftp http11 s3".split()),
    "scrapy.dupefilters",
    "scrapy.extensions.httpcache",
    "scrapy.linkextractors",
    "scrapy.logformatter",
    "scrapy.shell",
    "scrapy.utils.test",
    "templcrawl.crawl.addon",
    "templcrawl.crawl.middlewares",
    "templcrawl.crawl.middlewares",
    "tldextract",
)
ENABLED = ("DOWNLOADER_MIDDLEWARES_BASE", "EXTENSIONS_BASE", "SPIDER_MIDDLEWARES_BASE")


@cache
def _forks() -> subprocess.Popen[str]:
    """Start the process that all others are forked from, which may warn no more than a crawl may."""
    forks = subprocess.Popen(
        [sys.executable, *WARNING, "-m", "tests.scrapy_processes"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    atexit.register(forks.communicate)
    assert forks.stdout is not None
    said = forks.stdout.readline()
    assert said == "ready\n", said + forks.communicate()[0]
    return forks


def run_scrapy(
    arguments: Sequence[str],
    settings: Mapping[str, Any],
    environment: Mapping[str, str],
    log: Path,
    *,
    stop_when: Callable[[], bool] | None = None,
    with_signal: int = signal.SIGTERM,
) -> None:
    """Run ``scrapy`` in a process of its own until it ends; send it a signal as soon as is asked for."""
    job = [{**os.environ, **environment}, os.devnull, str(log), ["scrapy", *arguments], dict(settings)]
    _run_job(job, stop_when, with_signal)


def run_program(module: str, arguments: Sequence[str], output: Path, log: Path) -> int:
    """Run a program of the tests in a process of its own until it ends; return its exit status."""
    return _run_job([dict(os.environ), str(output), str(log), [module, *arguments], None])


def _run_job(
    job: list[Any], stop_when: Callable[[], bool] | None = None, with_signal: int = signal.SIGTERM
) -> int:
    forks = _forks()
    assert forks.stdin is not None
    assert forks.stdout is not None
    forks.stdin.write(json.dumps(job) + "\n")
    forks.stdin.flush()
    process = int(forks.stdout.readline())
    while stop_when is not None and not select([forks.stdout], [], [], 0.01)[0]:
        if stop_when():
            os.kill(process, with_signal)
            stop_when = None
    return int(forks.stdout.readline())


def import_all() -> None:
    """Import what nearly every crawl does, and load the page reader: no reactor, and no spider."""
    enabled = [path for setting in ENABLED for path in getattr(default_settings, setting)]
    for module in (*IMPORTED, *(path.rpartition(".")[0] for path in enabled)):
        import_module(module)
    for command in entry_points(group="scrapy.commands"):
        command.load()
    kernel.fault()
    generate_demo_site()  # it is cached, and most programs of the tests have it
    assert "twisted.internet.reactor" not in sys.modules
    gc.freeze()


def _run(
    environment: dict[str, str], output: str, log: str, arguments: list[str], own: dict[str, Any] | None
) -> None:
    """Become the process that was asked for."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    written, errors = (os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) for path in (output, log))
    for end, file in enumerate((nothing, written, errors)):
        os.dup2(file, end)
    os.environ.clear()
    os.environ.update(environment)
    sys.modules.update(dict.fromkeys(environment.get(WITHOUT, "").split()))  # type: ignore[arg-type]
    if own is None:
        warnings.simplefilter("error", RuntimeWarning)
        sys.argv[1:] = arguments[1:]
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        return
    settings = get_project_settings()
    settings.setdict(own, "project")
    execute(arguments, settings)


def main() -> None:
    """Fork a process for each job, one after the other."""
    import_all()
    print("ready", flush=True)
    for line in sys.stdin:
        process = os.fork()
        if not process:
            _run(*json.loads(line))
            return
        print(process, flush=True)
        print(os.waitpid(process, 0)[1], flush=True)


if __name__ == "__main__":
    main()
