"""Markdown of what pages write in ways of their own: code, pictures, players, formulas, cells, words."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from templcrawl.page.markdown import markdown_of

pytest.importorskip("turbohtml")
BASE = "https://tea.example/shop/a"
HOST = "tea.example"
AT = f"https://{HOST}"
FIRST_WITH_BOXES = [1, 15, 1]
EXPRESSIVE = (
    "<pre data-language=css><code>"
    + "".join(
        f"<div class=ec-line><div class=gutter><div class=ln>{number}</div></div><div>{line}</div></div>"
        for number, line in enumerate(("b {", "\n", "  c: d", "}"), 8)
    )
    + "</code></pre>"
)
DOXYGEN = (
    "<div class=fragment><div class=line><span class=lineno> 1</span>&#160;<span>int</span> a;</div>\n"
    "<div class=line><span class=lineno> 2</span>&#160;</div>"
    "<div class=foldopen><div class=line><span class=lineno> 3</span>&#160;  b;</div></div>"
    "<div class=ttc>of a</div></div>"
)
GITHUB = (
    "<table><tr><td class=blob-num data-line-number=1></td><td class=blob-code>if a:</td></tr>"
    "<tr><td class=blob-num data-line-number=2></td><td class=blob-code>  b\n</td></tr></table>"
)
HUGO = (
    "<table><tr><td class=lntd><pre><code><span class=lnt>1\n</span><span class=lnt>2\n</span></code>"
    "</pre></td><td class=lntd><pre><code data-lang=go>a\n  b\n</code></pre></td></tr></table>"
)
LISTED = (
    "<pre><code class='hljs-x language-c'><ol>"
    "<li>  <div class=hljs-ln-numbers><div class=hljs-ln-n data-line-number=1></div></div><div>a</div></li>"
    "<li>  <div class=hljs-ln-numbers><div class=hljs-ln-n data-line-number=2></div></div><div>  b</div></li>"
    "</ol></code></pre>"
)


def text_of(html: str) -> str:
    return markdown_of(html, BASE).text


WRITTEN = {
    "code is whole, without numbers of lines": [
        ("<pre><i class=ln>7</i>a\n<i class=ln>8</i>  b</pre>", "```\na\n  b\n```"),
        (
            "<pre><i class=source-line-no>099</i><b>a</b>\n<i class=source-line-no>100</i></pre>",
            "```\na\n```",
        ),
        ("<pre><div><i class=ln>1</i></div><div><i class=ln>2</i>b</div></pre>", "```\n \nb\n```"),
        (EXPRESSIVE, "```css\nb {\n\n  c: d\n}\n```"),
        (DOXYGEN, "```\nint a;\n\n  b;\n```"),
        (GITHUB, "```\nif a:\n  b\n```"),
        (HUGO, "```go\na\n  b\n```"),
        (LISTED, "```c\na\n  b\n```"),
        ("<div class=line-numbers><a>1</a> <a>2</a></div><div><pre>a\nb</pre></div>", "```\na\nb\n```"),
        ("<div class=gutter>5</div><p>x", "5\n\nx"),
        ("<pre class=line-numbers><code>42</code></pre>", "```\n42\n```"),
        ("<pre><i class=ln>1a</i></pre>", "```\n1a\n```"),
        ("<table><tr><td class=ln>1<td>a<tr><td>2<td>b</table>", "| 1 | a |\n| --- | --- |\n| 2 | b |"),
        ("<p class=fragment>x</p>", "x"),
    ],
    "a picture has its address, or else its words": [
        ("<img data-src=/b.png alt=x>", f"![x]({AT}/b.png)"),
        ("<img src='data:image/gif;base64,R0' data-original=/b.png alt=x>", f"![x]({AT}/b.png)"),
        ("<img src=/none.gif data-lazy-src=/b.png alt=x>", f"![x]({AT}/b.png)"),
        ("<img src=/none.gif data-lazy=/b.png alt=x>", f"![x]({AT}/b.png)"),
        ("<img src=/b.png data-lazy=true data-src alt=x>", f"![x]({AT}/b.png)"),
        ("<img src=/none.gif data-echo=/b.png alt=x>", f"![x]({AT}/b.png)"),
        ("<img srcset='/s.png 300w, /l.png 900w, /m.png 600w' alt=x>", f"![x]({AT}/l.png)"),
        ("<img src=/none.gif data-srcset='/s.png, /l.png 1.5x' alt=x>", f"![x]({AT}/l.png)"),
        ("<img src=/b.png srcset='/l.png 2x' alt=x>", f"![x]({AT}/b.png)"),
        ("<picture><source srcset=/b.png><img alt=x></picture>", f"![x]({AT}/b.png)"),
        ("<amp-img src=/b.png alt=x><noscript><img src=/c></noscript></amp-img>", f"![x]({AT}/b.png)"),
        ("a<img src='data:image/png;base64,eA==' alt='PDF'>b", "a PDF b"),
        ("a <img data-src='javascript:x' srcset='' alt=x> <img> b", "a x b"),
        ("<h2><img src='data:,x'></h2>a", "a"),
    ],
    "what plays or is framed is a link": [
        ("a<iframe src=/f title='A [film]'></iframe>b", f"a [A \\[film\\]]({AT}/f) b"),
        ("<iframe src=about:blank data-src=/f></iframe>", f"[{HOST}]({AT}/f)"),
        ("<iframe src=//www.films.example/f></iframe>", "[films.example](https://www.films.example/f)"),
        ("<p>a<iframe src=/f width=1 height=1></iframe>", "a"),
        ("<p>a<iframe src='javascript:x'></iframe>", "a"),
        ("<video src=/v.webm>old</video>", f"[video]({AT}/v.webm)"),
        ("<audio><source src=/s.ogg>old</audio>", f"[audio]({AT}/s.ogg)"),
        ("<object data=/d.pdf><embed src=/d.pdf>Read</object>", f"[{HOST}]({AT}/d.pdf) Read"),
        ("<a href=/w><video src=/v title=Film></video></a>", f"[Film]({AT}/w)"),
        ("a<br><iframe src=/f></iframe><br>b", f"a  \n[{HOST}]({AT}/f)  \nb"),
    ],
    "code beside a link is one": [
        ("<code>f(<a href=/x>T</a>&lt;A,<wbr>B&gt; <b>c</b>)</code>", f"`f(`[`T`]({AT}/x)`<A,B> c)`"),
    ],
    "icons that lead somewhere are named by their label or title": [
        ("<a href=/x title=Post><svg></svg></a>", f"[Post]({AT}/x)"),
        ("<a href=/x title=Post></a><a href=/y aria-label=Chat></a>", f"[Post]({AT}/x) [Chat]({AT}/y)"),
        ("a<a href=/x><i title=no></i></a>b<a href=/y aria-label=' '><b></b></a>", "ab"),
        ("<a href=/x><svg aria-label=Find><path/></svg></a>", f"[Find]({AT}/x)"),
    ],
    "kept white space is code in blocks of code alone": [
        ("<h1 style='white-space: pre-wrap'>a</h1><p style=WHITE-SPACE:pre-line>b  c", "# a\n\nb c"),
        ("<pre style='white-space: pre-wrap'>a\n  b</pre>", "```\na\n  b\n```"),
    ],
    "formulas stand once, and powers are told from digits": [
        ("<math><mi>x</mi><annotation encoding='application/x-tex'>x_1*a*</annotation></math>.", "$x_1*a*$."),
        ("a <math alttext='{\\displaystyle a|b}'><mi>a</mi></math> b", "a $a\\vert b$ b"),
        ("a <script type='math/tex; mode=display'>\\|x\\|\n< 2</script>", "a $\\Vert x\\Vert \\lt 2$"),
        ("<math alttext='a](b'></math>", "$a\\](b$"),
        ("<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "1/2"),
        ("<math><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup></math>", "x<sub>i</sub><sup>2</sup>"),
        ("3<sup>4</sup> m<sup>-1</sup> n<sup>k</sup>", "3<sup>4</sup> m<sup>-1</sup> n<sup>k</sup>"),
        ("CO<sub>2</sub>, 2<sup>2<sup>3</sup></sup>", "CO<sub>2</sub>, 2<sup>2<sup>3</sup></sup>"),
        ("2<sup>nd</sup> XIX<sup>e</sup> T<sub>max</sub>", "2nd XIXe Tmax"),
        ("a<sup>[1]</sup> b<sup><a href=/n>2</a></sup>", f"a\\[1\\] b[2]({AT}/n)"),
        ("<code>a<sup>2</sup></code> <b>9<sup>9</sup></b>", "`a2` **9<sup>9</sup>**"),
        ("<h2>E=mc<sup>2</sup></h2>", "## E=mc<sup>2</sup>"),
    ],
    "words stand as a reader sees them": [
        ("<ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>。", "漢(かん)字(じ)。"),
        ("<ruby>漢<rp>《</rp><rt>かん</rt><rp>》</rp></ruby>", "漢《かん》"),
        ("<select><option>a<option>b<optgroup><option>c</select>", "a b c"),
        ("<button>a</button><button>b</button><input>c", "a b c"),
        ("<pre>a<button>b</button></pre>", "```\nab\n```"),
        ("<fieldset><legend>a</legend>b</fieldset>", "a\n\nb"),
        ("so&shy;ft ze\u200bro \ufeff<i title='a&shy;b'>c</i>", "soft zero *c*"),
        ("<code>so&shy;ft</code> <a href=/b title='a&shy;b'>c</a>", f'`so\xadft` [c]({AT}/b "ab")'),
        ("a<h2>&nbsp;</h2>b<h3><b>\u200b</b></h3>c<h4>\u200d&shy;</h4>d", "a\n\nb\n\nc\n\nd"),
        ("a\x04b \x06ff\x07 \x0ec\x0f \x05", "ab ff c"),
    ],
}
"""What is written -> HTML and its Markdown."""


@pytest.mark.parametrize(("html", "markdown"), [case for cases in WRITTEN.values() for case in cases])
def test_what_pages_write_in_ways_of_their_own(html: str, markdown: str) -> None:
    assert text_of(html) == markdown


def test_the_boxes_of_a_list_of_tasks_are_marks_where_the_library_writes_them() -> None:
    tasks = "<ul><li><input type=checkbox checked>a<li><input type=checkbox>b</ul>"
    release = [int(number) for number in version("turbohtml").split(".")[:3]]
    assert text_of(tasks) == ("- [x] a\n- [ ] b" if release >= FIRST_WITH_BOXES else "- a\n- b")


@pytest.mark.parametrize(
    ("block", "language"),
    [
        ("<div class=sourceCode><pre class='sourceCode haskell'><code>a</code></pre></div>", "haskell"),
        ("<pre data-language='ts'>a</pre>", "ts"),
        ("<div data-lang=c++><pre>a</pre></div>", "c++"),
        ("<pre class='brush:ruby;toolbar:false'>a</pre>", "ruby"),
        ("<pre lang=Rust><code>a</code></pre>", "Rust"),
        ("<pre lang=en>a</pre>", ""),
        ("<pre class='src src-lisp'>a</pre>", "lisp"),
        ("<pre><code class='hljs perl'>a</code></pre>", "perl"),
        ("<pre><code class='hljs language-perl'>a</code></pre>", "perl"),
        ("<figure class='highlight php'><table><tr><td><pre>1</pre><td><pre>a</pre></table></figure>", "php"),
        ("<div class='highlight box'><pre>a</pre></div>", ""),
        ("<pre data-lang='a`b'>a</pre>", ""),
        ("<pre data-lang=plaintext>a</pre>", ""),
    ],
)
def test_a_block_says_the_language_that_the_page_names(block: str, language: str) -> None:
    assert text_of(block) == f"```{language}\na\n```"


def test_the_path_of_a_section_has_its_formula_as_it_stands() -> None:
    (section,) = markdown_of("<h2>CO<sub>2</sub> &lt; <math alttext='a_b'></math></h2>x", BASE).sections
    assert section["path"] == ["CO2 < $a_b$"]


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (
            "<tr><th><th>1<tr><td>a<td> <tr><td><i></i><td>&nbsp;",
            "|  | 1 |\n| --- | --- |\n| a |  |\n|  |  |",
        ),
        ("<tr><td colspan=2><td>b<tr><td>a<td><td>c", "|  |  | b |\n| --- | --- | --- |\n| a |  | c |"),
        (
            "<tr><th>A<th>B<tr><td>a<td>b:<ul><li>c<li>d.<li>e<li></ul>",
            "| A | B |\n| --- | --- |\n| a | b: c; d. e |",
        ),
        (
            "<tr><td>a<td><ol><li><b>c</b><li>*d<ol><li>e<li>f</ol></ol>",
            "| a | **c**; \\*d e; f |\n| --- | --- |",
        ),
        ("<tr><td>a<tr><td>b", "a\n\nb"),
        ("<tr><td><p>a<p>b<td>c", "a\n\nb\n\nc"),
        ("<tr><th>A<th>B<tr><td><p>a<p>b<td>c", "| A | B |\n| --- | --- |\n| a b | c |"),
        ("<tr><td>a<td><p>b<p>c<tr><td>d<td>e", "| a | b c |\n| --- | --- |\n| d | e |"),
    ],
)
def test_cells_keep_their_place_and_layout_is_no_table(html: str, markdown: str) -> None:
    assert text_of(f"<table>{html}</table>") == markdown


def test_a_table_that_says_it_is_layout_is_none() -> None:
    for role in ("presentation", "none"):
        assert text_of(f"<table role={role}><tr><td>a<td>b</table>") == "a\n\nb"
