"""The command lines of a document, and whether they would be accepted: nothing is run.

A command line begins with a program whose commands are known here.  It stands in a block of code, fenced or
indented, as a line, perhaps after ``$`` or variables that are set (``NAME=value scrapy ...``); or in the
text, as code.  ``#`` begins a remark, a backslash at the end goes on in the next line; what has ``...``, NAME
or COMMAND in it is none.

- ``scrapy``: the command is there, and takes the options; settings of ours, arguments of spiders are there
- ``templcrawl``: it takes the options
- ``make``: the target, or a file of the variable that is set, is in the Makefile
- ``python -m``: the module is there

Cost: O(length of the document).
"""

from __future__ import annotations

import argparse
import inspect
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from scrapy.cmdline import ScrapyArgumentParser, _get_commands_dict
from scrapy.commands import ScrapyCommand
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader

from templcrawl.command.line import parser
from templcrawl.crawl.settings import SETTINGS

ROOT = Path(__file__).parents[2]
OF_READERS = ("hosts", "pages")
"""Spiders that documents show."""
_CODE = re.compile(
    r"^```py.*?^```|^```\w*\n(.*?)^```|^((?: {4}[^\n]*\n)+)|`([^`]+)`", re.MULTILINE | re.DOTALL
)
_COMMAND = re.compile(r"(?:\$ )?(?:\w+=\S+ )*((?:scrapy|make|python|templcrawl) .*)")
_LEFT_OPEN = re.compile(r"\.\.\.|\b(?:COMMAND|NAME)\b")
_MODULES = ("lab", "docs", "tests", "templcrawl")


def command_lines(page: str) -> Iterator[str]:
    r"""Yield the command lines of a document.

    >>> list(command_lines("With `scrapy list`:\n\n    LANG=C make test  # all\n    FEEDS = {}\n"))
    ['scrapy list', 'make test  # all']
    """
    for block in _CODE.finditer(page):
        code = block[1] or block[2] or (block[3] or "").replace("\n", " ")
        for line in code.replace("\\\n", " ").splitlines():
            command = _COMMAND.fullmatch(line.strip())
            if command and not _LEFT_OPEN.search(command[1]):
                yield command[1]


def fault(command: str) -> str:
    """Return what is wrong with a command line, "" for nothing."""
    program, *arguments = shlex.split(command.partition(" | ")[0].partition(" && ")[0], comments=True)
    return _FAULTS[program](arguments)


def scrapy_commands() -> dict[str, ScrapyCommand]:
    """Return the commands that ``scrapy`` has in a project."""
    commands: dict[str, ScrapyCommand] = _get_commands_dict(Settings(), True)
    for command in commands.values():
        command.settings = Settings()
    return commands


def parser_of(command: ScrapyCommand) -> argparse.ArgumentParser:
    """Return what reads the options of a command."""
    parser = _Parser(conflict_handler="resolve", add_help=False, allow_abbrev=False)
    command.add_options(parser)
    return parser


class _Parser(ScrapyArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def _fault_of_scrapy(arguments: list[str]) -> str:
    name, *rest = arguments
    commands = scrapy_commands()
    if name not in commands:
        return f"scrapy has no command {name}"
    try:
        options, left = parser_of(commands[name]).parse_known_args(rest)
    except ValueError as error:
        return str(error)
    unknown = [argument for argument in left if argument.startswith("-") and argument != "-"]
    names = [pair.partition("=")[0] for pair in options.set]
    unknown += [name for name in names if name.startswith("TEMPLCRAWL_") and name not in SETTINGS]
    if name == "crawl":
        unknown += _unknown_to_spider(left[0], [pair.partition("=")[0] for pair in options.spargs])
    return f"unknown: {', '.join(unknown)}" if unknown else ""


def _unknown_to_spider(name: str, arguments: list[str]) -> list[str]:
    """Return what a spider of this repository does not take, or its name where it is not there."""
    loader = SpiderLoader.from_settings(Settings({"SPIDER_MODULES": ["spiders"]}))
    if name not in loader.list():
        return [] if name in OF_READERS else [name]
    spider = loader.load(name)
    makers = [vars(kind)["__init__"] for kind in spider.__mro__ if "__init__" in vars(kind)]
    taken = {name for maker in (*makers, spider.from_crawler) for name in inspect.signature(maker).parameters}
    return [argument for argument in arguments if argument not in taken]


def _fault_of_make(arguments: list[str]) -> str:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    rules = re.findall(r"(?m)^([\w -]+):(?! \w+ [:+]=)", makefile)
    targets = [target for rule in rules for target in rule.split()]
    variables = re.findall(r"(?m)^(?:[\w-]+: )?(\w+) [?:+]?= ?|\$\((\w+)\)", makefile)
    known = {*targets, *(name for pair in variables for name in pair)}
    unknown = [argument for argument in arguments if argument.partition("=")[0] not in known]
    return f"the Makefile has no {unknown[0]}" if unknown else ""


def _fault_of_python(arguments: list[str]) -> str:
    if arguments[0] != "-m" or arguments[1].partition(".")[0] not in _MODULES:
        return ""
    return "" if find_spec(arguments[1]) else f"there is no module {arguments[1]}"


def _fault_of_templcrawl(arguments: list[str]) -> str:
    unknown = [name for name in arguments if name.startswith("--") and name not in command_options()]
    return f"unknown: {', '.join(unknown)}" if unknown else ""


def command_options() -> set[str]:
    """Return the options of the command ``templcrawl``."""
    return {name for action in parser()._actions for name in action.option_strings}


_FAULTS: Mapping[str, Callable[[list[str]], str]] = {
    "make": _fault_of_make,
    "python": _fault_of_python,
    "scrapy": _fault_of_scrapy,
    "templcrawl": _fault_of_templcrawl,
}
