"""Run a command of Scrapy in this process."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest
from scrapy.cmdline import execute
from scrapy.settings import Settings


class Run(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> Run:
    """Run ``scrapy`` with these arguments; return its exit code and what it wrote."""
    with pytest.raises(SystemExit) as end:
        execute(["scrapy", *map(str, arguments)], settings=Settings())
    out, err = capsys.readouterr()
    return Run(int(end.value.code or 0), out, err)
