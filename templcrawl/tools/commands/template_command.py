"""``scrapy template SITE``: the template of a page, as a page that opens in a browser.

SITE is a URL, or a saved site on disk.  A few further pages of the site are loaded, which tell what its
pages have in common: those of its menu and those most like the page.

Cost: that of loading the pages, one after the other; mapping two of them takes milliseconds.
Exit codes: 0; 1 where the page could not be loaded; 2 for options that are not accepted.
"""

from __future__ import annotations

import argparse
import sys
import webbrowser
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request, signals
from scrapy.http.request import NO_CALLBACK

from templcrawl.errors import pluralize
from templcrawl.files import whole_file
from templcrawl.tools.commands.base import STDOUT, DescribedCommand, check_page, refuse
from templcrawl.tools.commands.terminal import StatusLine

if TYPE_CHECKING:
    from templcrawl.crawl.template_spider import TemplateItem


class TemplateCommand(DescribedCommand):
    """The command ``template``."""

    arguments = "SITE"
    inputs = (1, "one SITE: a URL, a folder or a page of a saved site")
    summary = "Extract the template of a page, as a page"
    description = (
        "Extract the template of a page: what it has in common with pages that it links to, those of "
        "its site's menu and those most like it. "
        "SITE is the URL of the page, the folder of a saved site or a page in it."
    )
    default_settings: ClassVar[dict[str, Any]] = {
        "LOG_LEVEL": "CRITICAL",
        "ROBOTSTXT_OBEY": True,
        "TELNETCONSOLE_ENABLED": False,
    }

    def options(self) -> str:
        """Return its options."""
        return """
            -o --output FILE=-  file of the page, a name that ends in .html (stdout by default)
            --open  open the page in a browser; needs -o
            --scripts  leave the scripts in
            --way {vote,etdm}=vote  compare pages by a vote, or map them as in the paper (default vote)
            --equality {weighted,tag,name}=weighted  with --way etdm, when two elements of one name are equal
                (by weights of classes, attributes, children and position in weighted, the default; with equal
                classes and attributes in tag; always in name)
            --pages N=10  pages to load for the vote (default 10)
            --size N=4  pages to find that link to each other (default 4)
            --most-pages N=20  pages to load at most (default 20)
            --order {menu,plain}=menu  which links come first (default menu)
            --folder DIR  folder of the saved site around the page SITE (by default the folder above it with
                the name of a host, else its own folder)
            --host HOST  host of the saved site (the folder's name by default)
            """

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the command.  Raises UsageError, which Scrapy turns into exit code 2."""
        from templcrawl.crawl.template_spider import TemplateSpider

        (site,) = self.inputs_of(args)
        check_page(opts, "the template is a page")
        if opts.equality and opts.way != "etdm":
            refuse("--equality is for --way etdm")
        opts.equality = opts.equality or "weighted"
        named = ("folder", "host", "size", "most_pages", "way", "equality", "pages", "order")
        given = vars(opts)
        arguments = {name: "" if given[name] is None else str(given[name]) for name in named}
        arguments |= {"url": site, "scripts": "1" if opts.scripts else "0"}
        try:
            folder = TemplateSpider(**arguments).saved_folder
        except ValueError as error:
            refuse(str(error))
        items: list[TemplateItem] = []
        failure = self._crawl(TemplateSpider, arguments, items)
        if not items:
            sys.stderr.write(f"no template: {failure or 'the page was not answered'}\n")
            self.exitcode = 1
            return
        item = items[0]
        self._write(item, opts)
        if folder is not None and not item.pages_compared:
            if not opts.folder:
                sys.stderr.write(f"{folder} was taken for the folder of the site; --folder names another\n")
            if not opts.host:
                sys.stderr.write(
                    "links that name the host it was saved from are followed with --host alone\n"
                )

    def _crawl(self, spider: type, arguments: dict[str, str], items: list[TemplateItem]) -> str:
        """Crawl with a spider and collect its item; return why there is none."""
        assert self.crawler_process is not None
        crawler = self.crawler_process.create_crawler(spider)
        loaded = count(1)

        def collect(item: TemplateItem) -> None:
            items.append(item)

        def update(request: Request) -> None:
            if request.callback is not NO_CALLBACK:
                line.show(f"{pluralize(next(loaded), 'page')} loaded")

        with StatusLine() as line:
            crawler.signals.connect(collect, signals.item_scraped)
            crawler.signals.connect(update, signals.response_received)
            line.show(f"loading {arguments['url']}")
            self.crawler_process.crawl(crawler, **arguments)
            self.crawler_process.start()
        return str(getattr(crawler.spider, "failure", ""))

    def _write(self, item: TemplateItem, opts: argparse.Namespace) -> None:
        if opts.output == STDOUT:
            sys.stdout.write(item.template_html + "\n")
        else:
            with whole_file(Path(opts.output)) as file:
                file.write(item.template_html.encode("utf-8", "replace"))
        nodes = item.template_nodes + item.content_nodes
        share = f"{item.template_nodes:,} of {pluralize(nodes, 'node')} in the template"
        limits = f"; read in part ({', '.join(item.truncated)})" if item.truncated else ""
        source = f"{pluralize(item.pages_loaded, 'further page')} loaded"
        if item.pages_compared:
            source += f", compared with {item.pages_compared:,} of them"
        else:
            source += ", none to compare it with"
        sys.stderr.write(f"{item.url}: {share}; {source}{limits}\n")
        if opts.open:
            webbrowser.open(Path(opts.output).resolve().as_uri())
