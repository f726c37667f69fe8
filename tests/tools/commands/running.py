"""Run a command of Scrapy in this process."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from scrapy.cmdline import execute
from scrapy.settings import Settings

from templcrawl.tools.commands import terminal


class Run(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@contextmanager
def _logging_as_it_was() -> Iterator[None]:
    """Undo what Scrapy's command line does to the logging of the whole process."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    try:
        yield
    finally:
        root.setLevel(level)
        root.handlers[:] = handlers


def run(capsys, *arguments: object, told_after: float = math.inf, module: str = "") -> Run:
    """Run ``scrapy`` with these arguments; return its exit code and what it wrote.

    told_after  seconds after which it says how far it is: never, however slow the machine
    module      where the command is looked for, too
    """
    with pytest.MonkeyPatch.context() as patch, _logging_as_it_was():
        patch.setattr(terminal, "SECONDS", told_after)
        with pytest.raises(SystemExit) as end:
            execute(["scrapy", *map(str, arguments)], settings=Settings({"COMMANDS_MODULE": module}))
    out, err = capsys.readouterr()
    return Run(int(end.value.code or 0), out, err)
