"""The template of each page on demand as a method of the separation benchmark: complete subdigraph and ETDM.

All pages of the site may be loaded, no others.  A page is the same with and without ``index.html`` or
``.html`` at the end of its address.  Where a page links to none of them, all of it is content.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from templcrawl import Page
from templcrawl.algorithms.site_template.template_search import TemplateSearch
from templcrawl.page.addresses import host_of

_ENDS = ("/index.html", "/index.htm", "/index.php", ".html", ".htm")


def _name_of(url: str) -> str:
    """Return a URL without what does not matter in it."""
    url = url.rstrip("/")
    return next((url.removesuffix(end) for end in _ENDS if url.endswith(end)), url)


def learn(pages: Sequence[tuple[str, str]]) -> Callable[[str, str], str]:
    """Return what answers (HTML, URL) with the text of the content.

    pages  (HTML, URL) of each page of the site
    """
    by_name = {_name_of(url): Page(html, url) for html, url in pages if host_of(url)}

    def ask(html: str, url: str) -> str:
        search = TemplateSearch(Page(html, url), is_page=lambda target: _name_of(target) in by_name)
        while (target := search.next_url()) is not None:
            search.tell(target, by_name[_name_of(target)])
        return search.separation().content_text

    return ask
