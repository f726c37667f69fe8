"""``python -m docs.build.commands`` runs the commands of the documents and writes down what they print.

A block of the language ``console`` is run in a folder that holds the crawls of
:mod:`docs.build.example_crawls`, each line that begins with ``$`` by a shell, in order; a block finds what
those before it have left.  Of an output that is longer the first lines are kept, of a line that is longer the
first characters; what a command writes to stderr is not shown.  Between ``<!-- options: NAME -->`` and
``<!-- end -->`` of docs/reference.md stand the usage and the options of ``scrapy NAME``, asked of its parser.

Cost: two or three seconds a command.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from argparse import Action
from pathlib import Path

from docs.build.command_lines import parser_of, scrapy_commands
from docs.build.example_crawls import save_example_crawls

ROOT = Path(__file__).parents[2]
PAGES = tuple(ROOT / "docs" / f"{name}.md" for name in ("finished-crawls", "recipes", "reference"))
LINES, WIDTH = 12, 160
_CONSOLE = re.compile(r"(?<=```console\n)(.*?)(?=```)", re.DOTALL)
_COMMAND = re.compile(r"(?m)^\$ ((?:.*\\\n)*.*)$")
_OPTIONS = re.compile(r"(?<=<!-- options: )(\w+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)


def main() -> None:
    """Rewrite the pages."""
    for path in PAGES:
        path.write_text(fill_real_output(path.read_text(encoding="utf-8")), encoding="utf-8")


def fill_real_output(page: str) -> str:
    """Return a page with what its commands print now, and the options that they have now."""
    with tempfile.TemporaryDirectory() as folder:
        save_example_crawls(Path(folder))
        page = _CONSOLE.sub(lambda block: run_block(block[1], Path(folder)), page)
    return fill_options(page)


def fill_options(page: str) -> str:
    """Return a page with the usage and the options that its commands have now."""
    return _OPTIONS.sub(lambda region: f"{region[1]}{region[2]}{options_of(region[1])}", page)


def run_block(block: str, folder: Path) -> str:
    """Return a block with the output of its commands."""
    commands = _COMMAND.findall(block)
    return "\n".join(f"$ {command}\n{shown(output(command, folder))}" for command in commands)


def output(command: str, folder: Path) -> str:
    """Return what a command prints in a folder; raises RuntimeError where it fails."""
    environment = {
        **os.environ,
        "COLUMNS": str(WIDTH),
        "LC_ALL": "C.UTF-8",
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
        "PYTHONPATH": str(ROOT),
        "SCRAPY_SETTINGS_MODULE": "settings.replay",
    }
    run = subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    if run.returncode:
        raise RuntimeError(f"{command}: exit status {run.returncode}\n{run.stderr}")
    return run.stdout


def shown(printed: str) -> str:
    r"""Return as much of an output as the page shows.

    >>> shown("\n\none  \n\n")
    'one\n'
    >>> shown("a\n" * 20).splitlines()[10:]
    ['a', 'a', '...']
    """
    lines = [line.rstrip() for line in printed.strip("\n").splitlines()]
    cut = [line if len(line) <= WIDTH else f"{line[: WIDTH - 3]}..." for line in lines[:LINES]]
    return "".join(f"{line}\n" for line in (*cut, *(["..."] if len(lines) > LINES else [])))


def options_of(name: str) -> str:
    """Return the usage of a command and a table of its options, those that every command has left out."""
    command = scrapy_commands()[name]
    groups = parser_of(command)._action_groups
    options = (
        option for group in groups if group.title != "Global Options" for option in group._group_actions
    )
    rows = "".join(f"| {_named(option)} | {_meaning(option)} |\n" for option in options)
    return f"\n    scrapy {name} {command.syntax()}\n\n| option | meaning |\n|---|---|\n{rows}\n"


def _named(option: Action) -> str:
    *others, last = option.option_strings
    value = "" if option.nargs == 0 or option.choices else f" {option.metavar or option.dest.upper()}"
    return ", ".join(f"`{name}`" for name in (*others, last + value))


def _meaning(option: Action) -> str:
    choices = ", ".join(f"`{choice}`" for choice in option.choices or ())
    return f"{choices}: {option.help}" if choices else str(option.help)


if __name__ == "__main__":
    main()
