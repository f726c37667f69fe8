"""Fields that a person would ask for of pages of saved sites, by XPath: the lists of ``wanted_fields.ini``.

A section is ``[list: site]``, with a number behind the site where a list asks for several page types of it.
``(paths)``, ``(mark)`` and ``(record)`` say on which pages, and of which records; other keys are fields.
Each line of a field is an XPath that gives the value in another form, such as a number with and without its
unit.  One that ends in ``@href`` or ``@src`` gives an address; of records they start at the record.

The XPaths were written from the pages alone, before a table of the site was seen.
Imported by :mod:`lab.bench.wanted`, not run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from configparser import ConfigParser
from pathlib import Path
from typing import NamedTuple

LISTS = Path(__file__).with_suffix(".ini")


class Wanted(NamedTuple):
    """Fields of the pages of a site, or of the records on them.

    paths   regular expression that matches at the start of the path of such a page
    mark    XPath that finds something on such a page
    fields  name -> XPaths; of records they start at the record
    record  XPath of the records; "" where the page is the record
    """

    site: str
    paths: str
    mark: str
    fields: Mapping[str, Sequence[str]]
    record: str = ""


def read_wanted(text: str) -> dict[str, list[Wanted]]:
    """Return list -> what it wants.  Raises configparser.Error.

    >>> read_wanted("[teas: shop 2]\\n(mark) = //h1\\nname = //h1\\n  //title")
    {'teas': [Wanted(site='shop', paths='', mark='//h1', fields={'name': ['//h1', '//title']}, record='')]}
    """
    parser = ConfigParser(delimiters=("=",), interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # names are as they are written
    parser.read_string(text)
    lists: dict[str, list[Wanted]] = {}
    for section in parser.sections():
        values = dict(parser[section])
        paths, mark, record = (values.pop(f"({name})", "") for name in ("paths", "mark", "record"))
        fields = {name: lines.split("\n") for name, lines in values.items()}
        name, _, site = section.partition(": ")
        lists.setdefault(name, []).append(Wanted(site.partition(" ")[0], paths, mark, fields, record))
    return lists
