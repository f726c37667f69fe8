"""A shop that lives: pages come, change and go between two crawls."""

from __future__ import annotations

from dataclasses import dataclass, field

from lab.sites.server import Answer

MENU = "<nav><ul><li><a href=/>Home of the shop</a><li><a href=/about>About the shop</a></ul></nav>"
SCRIPTED = "<!DOCTYPE html><html><body><div id=root></div><script src=/app.js></script></body></html>"
SCRIPT = """
const names = ["/", "/p/1", "/p/2", "/p/3"];
const links = names.map(name => `<li><a href="${name}">Page ${name}</a></li>`).join("");
setTimeout(() => { document.getElementById("root").innerHTML =
  `<nav><ul>${links}</ul></nav><main><h1>Goods of ${location.pathname}</h1><p>` +
  Array.from({length: 40}, (_, n) => `glaze${location.pathname.length}x${n}`).join(" ") + "</p></main>";
}, 200);
"""


def words(name: str) -> str:
    return " ".join(f"word{name}x{number}" for number in range(40))


@dataclass
class Shop:
    """A front page, a page about it, and a page of each of its goods."""

    goods: list[int] = field(default_factory=lambda: [*range(12)])
    edited: set[int] = field(default_factory=set)
    subdomain: str = ""

    def answer(self, path: str) -> Answer:
        """Answer a request."""
        name = path.rpartition("/")[2]
        if path == "/":
            links = "".join(f"<li><a href=/p/{number}>Bowl {number}</a>" for number in self.goods)
            body = f"<h1>All goods</h1><ul>{links}</ul>{self.subdomain}"
        elif path == "/about":
            body = f"<h1>About the shop</h1><p>{words('about')}</p>"
        elif path.startswith("/p/") and name.isdigit() and int(name) in self.goods:
            edit = " Now with a lid and a saucer of clay." if int(name) in self.edited else ""
            body = f"<h1>Bowl {name}</h1><p>Price: £{name}.50</p><p>{words(name)}.{edit}</p>"
        else:
            return None
        meta = f"<meta property=og:title content='Bowl {name}'>"
        return f"<html lang=en><head><title>Bowl {name}</title>{meta}</head><body>{MENU}{body}</body></html>"


def scripted(path: str) -> Answer:
    """Answer with pages that scripts make."""
    if path == "/app.js":
        return 200, "text/javascript", SCRIPT.encode()
    return SCRIPTED if path in ("/", "/p/1", "/p/2", "/p/3") else None
