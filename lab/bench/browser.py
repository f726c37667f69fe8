"""Does anything of a hostile page run, or load, when a report or a template is opened in a browser?

    python -m lab.bench.browser [--chromium PROGRAM]

Each attack of ``lab/sites/attacks.py`` stands in a page, and as words in its title, classes, link texts
and addresses.  Each page is opened in three ways, in headless Chromium, in a frame of a window that then
clicks, points at and focuses whatever it can reach in it but common links:

page      as it is: the control, which shows that an attack works at all
report    the report of a crawl of that page, its picture among it
template  as ``scrapy template`` writes it, all of the page taken for template

ran     a script told the window, or a server on 127.0.0.1, that it runs
loaded  the server was asked for what the attack names

One report of all pages is opened besides, from its file.  A report shall do neither, and its search (the one
script that its policy allows) shall find its pages.  A template shall run nothing, and load nothing but what
a page shows (marked \N{BULLET}): styles, fonts, pictures, sounds.  The exit status is 1 if anything else
happens, or if fewer than nine in ten attacks work on the control.

Needs Debian's ``chromium`` (``apt-get install chromium``).  Nothing leaves this machine.
Cost: 40 s of CPU.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.bench.options import new_parser
from lab.bench.tables import show, table_of
from lab.sites.attacks import ATTACKS, SHOWN, Beacons
from lab.sites.server import LocalSite
from templcrawl import CrawlMemory, Page
from templcrawl.outputs.report.contents import Run, report_contents
from templcrawl.outputs.report.figures import CrawlFigures
from templcrawl.outputs.report.html import report_html
from templcrawl.page.template_page import template_page

WAYS = ("page", "report", "template")
_OPTIONS = (
    "--headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --window-size=1200,30000 "
    "--virtual-time-budget=20000 --dump-dom"
).split()
_POKES = "click mouseover mouseenter pointerover focus toggle dblclick contextmenu submit".split()
_WINDOW = """<!DOCTYPE html><title>window</title><body><script>
const told = document.documentElement.dataset;
told.ran = told.found = "";
addEventListener("message", event => { told.ran += " " + event.data });
const search = (inside, name) => {
  const box = inside.getElementById("wanted");
  if (!box) return;
  box.value = "ATTACKED.example";
  box.dispatchEvent(new Event("input"));
  if (inside.querySelector("#found:not([hidden]) td")) { told.found += " " + name }
};
const poke = inside => {
  for (const element of inside.querySelectorAll("*")) {
    if (/^https?:/.test(element.href)) continue;
    for (const kind of %s) {
      try { element.dispatchEvent(new MouseEvent(kind, {bubbles: true, cancelable: true})) } catch (error) {}
    }
    try { element.focus() } catch (error) {}
  }
};
for (const name of %s) {
  const frame = document.createElement("iframe");
  frame.width = 1000; frame.height = 300;
  frame.addEventListener("load", () => {
    try { search(frame.contentDocument, name); poke(frame.contentDocument) } catch (error) {}
  }, {once: true});
  frame.src = "/%s/" + name;
  document.body.append(frame);
}
</script>"""


class Hits(Counter[tuple[str, str]]):
    """(``ran``, ``loaded`` or ``found``, name of an attack) -> how often the browser did that."""

    def named(self, what: str) -> set[str]:
        """Return the attacks that did something."""
        return {name for kind, name in self if kind == what}


def reported(pages: Mapping[str, str], source: str) -> str:
    """Return the report of a crawl of pages, and of what else the site has.

    pages  address -> HTML
    """
    memory, figures = CrawlMemory(sample_salt=0), CrawlFigures()
    for url, html in pages.items():
        figures.update(memory.observe(Page(html, url)))
    run = Run(source, datetime.now(timezone.utc), 0.0, waited=1, settings={"TEMPLCRAWL_TEXT": source})
    return report_html(report_contents(figures, memory, run))


def written(way: str, name: str, beacons: Beacons) -> str:
    """Return a page with an attack as it is opened in a way."""
    html = beacons.page(name)
    if way == "report":
        address = beacons.address(name)
        others = {f'http://"><script>{beacons.ran(name)}</script>/{number}': html for number in range(3)}
        return reported({address: html, f"{address}?2": html, **others}, address)
    if way == "template":
        page = Page(html, f"{beacons.url}base/")
        return template_page(page, bytes(len(page.tokens)))
    return html


def opened(chromium: str, address: str) -> str:
    """Open an address in a new browser; return the document that it then has."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [chromium, *_OPTIONS, f"--user-data-dir={profile}", address]
        return subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=300, check=True
        ).stdout


def hits_of(targets: Sequence[str], document: str) -> Hits:
    """Count what the attacks did.

    targets   what the server was asked for
    document  the window after that
    """
    asked = [re.match(r"/(ran|loaded)/([a-z-]+)", target) for target in targets]
    hits = Hits((match[1], match[2]) for match in asked if match)
    for what, names in re.findall(r'data-(ran|found)="([^"]*)"', document):
        hits.update((what, name) for name in names.split())
    return hits


def attack(chromium: str) -> dict[str, Hits]:
    """Open every page in every way; return way -> what the attacks did."""
    document = ""
    pages: dict[str, str] = {}
    results = {}
    with LocalSite(lambda target: pages.get(target, "")) as site, TemporaryDirectory() as folder:
        beacons = Beacons(site.url)
        for way in WAYS:
            pages.update({f"/{way}/{name}": written(way, name, beacons) for name in ATTACKS})
            pages[f"/{way}"] = _WINDOW % (json.dumps(_POKES), json.dumps([*ATTACKS]), way)
            site.targets.clear()
            document = opened(chromium, f"{site.url}{way}")
            missing = {f"/{way}/{name}" for name in ATTACKS} - {*site.targets}
            if missing:
                sys.exit(f"not opened: {', '.join(sorted(missing))}")
            results[way] = hits_of(site.targets, document)
        file = Path(folder, "report.html")
        every = {f"http://site{number}.example/": beacons.page(name) for number, name in enumerate(ATTACKS)}
        file.write_text(reported(every, "all of them"), encoding="utf-8")
        site.targets.clear()
        results["file"] = hits_of(site.targets, opened(chromium, file.as_uri()))
        results["file"].update(("loaded", target) for target in site.targets)
    return results


def wrongs(results: Mapping[str, Hits]) -> list[str]:
    """Return what a report or a template did that it shall not, in words."""
    said = [
        f"{way}: {name} {what}"
        for way in ("report", "template", "file")
        for what, name in sorted(results[way])
        if what != "found" and not (way == "template" and what == "loaded" and name in SHOWN)
    ]
    if results["report"].named("found") != set(ATTACKS):
        said.append("report: its search does not find its pages")
    if len({name for _, name in results["page"]}) < 0.9 * len(ATTACKS):
        said.append("page: the control is not attacked, so that this proves nothing")
    return said


def main(arguments: Sequence[str] | None = None) -> int:
    parser = new_parser("lab.bench.browser", __doc__)
    parser.add_argument("--chromium", metavar="PROGRAM", default="chromium", help="default: chromium")
    results = attack(parser.parse_args(arguments).chromium)
    did = [(way, what) for way in WAYS for what in ("ran", "loaded")]
    rows = [
        (
            f"{name} \N{BULLET}" if name in SHOWN else name,
            *(results[way][what, name] or "" for way, what in did),
        )
        for name in ATTACKS
    ]
    rows.append((f"{len(ATTACKS)} attacks", *(len(results[way].named(what)) for way, what in did)))
    show(table_of("What ran, and what loaded", ("attack", *map(": ".join, did)), rows))
    wrong = wrongs(results)
    print(*(wrong or ["nothing ran, nothing loaded"]), sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
