"""Pages that would run a script or load something: each an attack of its own, to be opened in a browser.

``RUN`` in an attack stands for a script, ``URL`` for an address: opened as they are, the one tells the
window on top of it and a server that it ran, the other is asked for.  Neither has quotes, angle brackets or
white space, so that they stand wherever a page writes a value.  ``report_of`` and ``template_of`` are what
templcrawl makes of such a page, to be looked at or opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from html import escape
from typing import NamedTuple
from urllib.parse import quote

from templcrawl import CrawlMemory, Page
from templcrawl.outputs.report.contents import CrawlFacts, report_contents
from templcrawl.outputs.report.figures import CrawlFigures
from templcrawl.outputs.report.html import report_html
from templcrawl.page.template_page import template_page

ATTACKS = {
    "script": "<script>RUN</script>",
    "script-src": "<script src=URL></script>",
    "script-module": "<script type=module>import(`URL`);RUN</script>",
    "script-in-svg": "<svg><script>RUN</script></svg>",
    "script-href-in-svg": "<svg><script href=URL /></svg>",
    "script-after-nul": "<scr\0ipt>x</script><script/x>RUN</script>",
    "script-slash": "<script/src=URL></script>",
    "script-from-comment": "<!--><script>RUN</script>-->",
    "script-from-bang": "<!--x--!><script>RUN</script>-->",
    "script-from-title": "<title><a title='</title><script>RUN</script>'>",
    "script-from-textarea": "<textarea><a title='</textarea><script>RUN</script>'>",
    "script-from-style": "<style></style ><script>RUN</script>",
    "script-from-noscript": "<noscript><p title='</noscript><script>RUN</script>'>",
    "script-from-template": "<template></template><script>RUN</script></template>",
    "script-from-iframe": "<iframe></iframe><script>RUN</script></iframe>",
    "script-from-xmp": "<xmp></xmp><script>RUN</script>",
    "script-from-select": "<select><option></select><script>RUN</script>",
    "script-from-cdata": "<svg><![CDATA[</svg>]]><desc><script>RUN</script></desc></svg>",
    "script-from-attribute": '<p title=""><script>RUN</script>" x=\'',
    "shadow-root": "<div><template shadowrootmode=open><script>RUN</script></template></div>",
    "img-onerror": "<img src=//127.0.0.1:1/x onerror=RUN>",
    "img-onerror-slash": "<img/src=//127.0.0.1:1/y/onerror=RUN x><img/src='x:y'onerror=RUN>",
    "body-onload": "<body onload=RUN>",
    "svg-onload": "<svg onload=RUN>",
    "svg-animate": "<svg><animate onbegin=RUN attributeName=x dur=1s></svg>",
    "svg-foreign": "<svg><foreignObject><iframe srcdoc='&lt;script>RUN&lt;/script>'></iframe>",
    "input-autofocus": "<input autofocus onfocus=RUN>",
    "details-ontoggle": "<details open ontoggle=RUN>tea</details>",
    "style-onload": "<style onload=RUN>p {}</style>",
    "video-onerror": "<video><source src=x:y onerror=RUN></video>",
    "animation": "<style>@keyframes k {}</style><b style='animation: k 1s' onanimationstart=RUN>",
    "popover": "<button popovertarget=p>tea</button><i popover id=p onbeforetoggle=RUN>",
    "onclick": "<p onclick=RUN>tea</p>",
    "a-javascript": "<a href=javascript:RUN>tea</a>",
    "a-javascript-spaced": "<a href=' &#1;jAva\tscri&#10;pt&colon;RUN'>tea</a>",
    "svg-a-javascript": "<svg viewBox='0 0 9 9'><a href=javascript:RUN><text y=5>tea</text></a></svg>",
    "form-javascript": "<form method=post action=javascript:RUN><button>tea</button></form>",
    "formaction": "<form><button formaction=javascript:RUN>tea</button></form>",
    "iframe-javascript": "<iframe src=javascript:RUN></iframe>",
    "iframe-src": "<iframe src=URL></iframe>",
    "iframe-srcdoc": "<iframe srcdoc='&lt;script&gt;RUN&lt;/script&gt;'></iframe>",
    "iframe-srcdoc-split": "<iframe/srcdoc\n=\n'&lt;script&gt;RUN&lt;/script&gt;'></iframe>",
    "iframe-data": "<iframe src='data:text/html,&lt;script&gt;RUN&lt;/script&gt;'></iframe>",
    "object-data": "<object data=URL type=text/html></object>",
    "embed-src": "<embed src=URL type=text/html>",
    "portal": "<portal src=URL></portal><fencedframe src=URL></fencedframe><iframe src=URL></iframe>",
    "meta-refresh": "<meta http-equiv=refresh content='0; url=URL'>",
    "meta-refresh-javascript": "<meta http-equiv=' refresh' content='0; url=javascript:0'><svg onload=RUN>",
    "meta-refresh-slash": "<meta/http-equiv='refresh'/content='0;URL=URL'>",
    "meta-csp": '<meta http-equiv=content-security-policy content="script-src *"><script>RUN</script>',
    "prefetch": "<link rel=prefetch href=URL>",
    "preload": "<link rel=preload as=script href=URL>",
    "preload-fetch": "<link rel=preload as=fetch href=URL>",
    "base": "<base href=URL/><script src=x></script>",
    "modulepreload": "<link rel=modulepreload href=URL>",
    "importmap": '<script type=importmap>{"imports": {"x": "URL"}}</script><script type=module>import "x"',
    "link-import": "<link rel=import href=URL><script>RUN</script>",
    "style-sheet": "<link rel=stylesheet href=URL>",
    "icon": "<link rel=icon href=URL><img src=URL>",
    "style-import": "<style>@import 'URL';</style>",
    "style-url": "<style>body {background: url(URL)}</style>",
    "style-attribute": "<p style='background: url(URL)'>tea</p>",
    "style-font": "<style>@font-face {font-family: f; src: url(URL)} p {font-family: f}</style><p>tea",
    "body-background": "<body background=URL>",
    "table-background": "<table background=URL><tr><td background=URL>tea</table>",
    "img-src": "<img src=URL>",
    "img-srcset": "<img srcset='URL 1x, URL?2 2x'>",
    "picture": "<picture><source srcset=URL><img></picture>",
    "input-image": "<input type=image src=URL>",
    "video-poster": "<video poster=URL></video>",
    "video-src": "<video src=URL autoplay muted></video>",
    "audio-src": "<audio src=URL preload=auto></audio>",
    "track": "<video src=URL><track default src=URL?track></video>",
    "svg-image": "<svg><image href=URL width=9 height=9 /></svg>",
    "svg-fe-image": "<svg><filter id=f><feImage href=URL /></filter><text filter=url(#f)>tea</text></svg>",
    "svg-use": "<svg><use href=URL#x /></svg><svg><image xlink:href=URL /></svg>",
}
"""Name of an attack -> what a page writes."""

_BREAK_OUTS = ("</title>", "</iframe>", "</template>", '">', "'>", "-->", "&quot;&gt;", "</style></textarea>")


class Beacons(NamedTuple):
    """Where an attack tells of itself.

    url  where a server listens, with a slash at its end
    """

    url: str

    def ran(self, name: str) -> str:
        return f"top.postMessage(`{name}`,`*`);fetch(`{self.url}ran/{name}`)"

    def page(self, name: str) -> str:
        """Return a page with an attack, in its text and, as words, in its title, classes, links and text."""
        attack = ATTACKS[name].replace("RUN", self.ran(name)).replace("URL", f"{self.url}loaded/{name}")
        words = " ".join(f"{way}{attack}" for way in _BREAK_OUTS) + f"\N{PILE OF POO}\u2028{name}"
        said = escape(words)
        return (
            f"<html><head><title>{said}</title></head><body><h1 id='{said}'>{said}</h1>"
            f'<p class="{said}">{said} <a href="/{quote(words)}" title="{said}">{said}</a> '
            f'<a href="/{said}">{said}</a><img src=/no alt="{said}"></p>\n{attack}</body></html>'
        )

    def address(self, name: str) -> str:
        """Return an address with an attack in it."""
        return f'http://attacked.example/"><script>{self.ran(name)}</script><img src={self.url}loaded/{name}>'


def reported(pages: Mapping[str, str], source: str) -> str:
    """Return the report of a crawl of pages, address -> HTML, and of what else the site has."""
    memory, figures = CrawlMemory(sample_salt=0), CrawlFigures()
    for url, html in pages.items():
        figures.count_page(memory.observe(Page(html, url)))
    run = CrawlFacts(source, datetime.now(timezone.utc), 0.0, waited=1, settings={"TEMPLCRAWL_TEXT": source})
    return report_html(report_contents(figures, memory, run))


def report_of(name: str, beacons: Beacons) -> str:
    """Return the report of a crawl of a page with an attack, its picture among it."""
    html, address = beacons.page(name), beacons.address(name)
    others = {f'http://"><script>{beacons.ran(name)}</script>/{number}': html for number in range(3)}
    return reported({address: html, f"{address}?2": html, **others}, address)


def template_of(name: str, beacons: Beacons) -> str:
    """Return a page with an attack as ``scrapy template`` writes it, all of it taken for template."""
    page = Page(beacons.page(name), f"{beacons.url}base/")
    return template_page(page, bytes(len(page.tokens)))
