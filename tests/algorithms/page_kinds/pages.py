"""Pages of known kinds, written for the tests: plain markup, no claims, one style of names."""

from __future__ import annotations

from templcrawl import CrawlMemory, Page
from templcrawl.page.separation import Separation

MENU = "<nav><ul><li><a href=/>Home</a><li><a href=/shop/>Shop</a><li><a href=/about>About</a></ul></nav>"
FOOT = "<footer><p>All rights reserved. <a href=/terms>Terms</a></footer>"
SENTENCE = "The harbour was quiet that morning, and nobody on the quay had seen the old boat leave."


def page(path: str, title: str, body: str, head: str = "") -> Page:
    """Return a page of a site with a menu and a footer."""
    return Page(
        f"<!doctype html><html><head><title>{title} - Quay</title>{head}</head><body>{MENU}"
        f"<main><h1>{title}</h1>{body}</main>{FOOT}</body></html>",
        f"https://quay.example{path}",
    )


def article(number: int = 0) -> Page:
    """Return a post of a blog."""
    text = "".join(f"<p>{SENTENCE} It was the {number + line}th time. {SENTENCE}</p>" for line in range(12))
    return page(
        f"/blog/2026/the-boat-that-left-{number}/",
        f"The boat that left {number}",
        '<p class="byline">By <a rel=author href=/author/ann>Ann</a>, <time>3 May 2026</time></p>'
        f'<article class="post-content">{text}</article>',
    )


def product(number: int = 0) -> Page:
    """Return a product of a shop."""
    return page(
        f"/product/lamp-{number}",
        f"Lamp {number}",
        f'<div class="product-gallery"><img src=lamp.jpg></div><p class="price">$1{number}.50</p>'
        f'<p class="sku">SKU 44{number}</p><table class="facts"><tr><th>Weight<td>{number + 1} kg'
        "<tr><th>Metal<td>brass</table>"
        '<form class="cart" action="/cart/add"><input type=number name=quantity>'
        '<button type=submit name="add-to-cart" class="add-to-cart">Add to cart</button></form>'
        "<div class=product-description><p>A lamp of brass for a ship's table.</p></div>",
    )


def listing(number: int = 0) -> Page:
    """Return an archive of a blog."""
    posts = ""
    for post in range(10):
        address = f"/blog/2026/post-{number}-{post}/"
        posts += (
            f'<article class="post"><h2 class="entry-title"><a href="{address}">We sailed to port {post}</a>'
            f'</h2><p>{SENTENCE[:60]} ... <a href="{address}">Read more</a></p></article>'
        )
    return page(
        f"/category/harbours/page/{number + 2}/",
        "Category: harbours",
        f'{posts}<div class="pagination"><a href="/category/harbours/page/{number + 3}/">Older</a></div>',
    )


def error(title: str = "Page not found", text: str = "Sorry, there is nothing at this address.") -> Page:
    """Return a "not found" that comes with the status 200."""
    return page("/blog/2026/gone/", title, f"<p>{text}</p><a href=/>Go home</a>")


def separated(*pages: Page) -> Separation:
    """Return the last page as a crawl of all of them separates it."""
    memory = CrawlMemory(sample_salt=0)
    return [memory.observe(seen).separation for seen in pages][-1]
