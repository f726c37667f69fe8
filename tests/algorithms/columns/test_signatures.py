"""Signatures of functions and classes as columns: of two tools that write documentation, by hand."""

from __future__ import annotations

import pytest

from templcrawl.algorithms.columns.reading import read_page
from templcrawl.page.page import Page
from tests.algorithms.columns.typed_pages import columns_of, records_of, values_of

NAMES = "brew steep pour sip stir chill boil serve whisk strain".split()
PRE = '<span class="pre">{}</span>'
OF_SPHINX = (
    '<dl class="py function"><dt class="sig sig-object py" id="{0}">'
    f'<span class="sig-name descname">{PRE.format("{0}")}</span><span class="sig-paren">(</span>'
    f'<em class="sig-param"><span class="n">{PRE.format("leaf_{0}")}</span>'
    f'<span class="o">{PRE.format("=")}</span><span class="default_value">{PRE.format("None")}</span></em>, '
    f'<em class="sig-param"><span class="n">{PRE.format("cup")}</span></em><span class="sig-paren">)</span>'
    f'<a class="reference" href="code/{{0}}"><span class="viewcode-link">{PRE.format("[source]")}</span></a>'
    '<a class="headerlink" href="#{0}">¶</a></dt><dd><p>{1}</p></dd></dl>'
)
OF_DOKKA = (
    '<h1>{0}</h1><div class="content"><div class="symbol monospace"><span class="token keyword">fun </span>'
    '<a href="{0}.html">{0}</a>(leaf: <a href="leaf.html">Leaf{0}</a>)</div><p>{1}</p></div>'
)
SAYS = "This is how to {} the leaves of the tea that the hill has had since the storm of May."


def texts_of(html: str) -> list[str]:
    return [unit.text for unit in read_page(Page(html, "http://h.example/")).units]


def test_a_signature_is_a_text_before_its_parts_without_the_link_behind_it() -> None:
    texts = texts_of(OF_SPHINX.format("brew", "Do it."))
    assert texts[:3] == ["brew(leaf_brew=None, cup)", "brew", "("]
    assert texts[-2:] == ["[source]", "Do it."]


@pytest.mark.parametrize(
    "html",
    [
        '<div class="signature"><p>Ann</p><p>of Wells</p></div>',
        '<span class="signature">Ann of Wells</span>',
        '<h3 class="signature"><i>Ann</i> of Wells</h3>',
        '<div class="signatures"><b>Ann</b> of Wells</div>',
    ],
)
def test_paragraphs_one_text_and_several_signatures_are_none(html: str) -> None:
    texts = texts_of(html)
    assert len(texts) < 3
    assert "".join(texts).replace(" ", "") == "AnnofWells"


def test_records_have_their_signature_and_no_list_of_its_parts() -> None:
    bodies = [
        f"<h1>Part {at}</h1>"
        + "".join(
            OF_SPHINX.format(f"{name}_{'abcdefghi'[at]}", SAYS.format(name)) for name in NAMES[: 3 + at % 4]
        )
        for at in range(9)
    ]
    (rows,) = records_of(columns_of(bodies), bodies[4]).values()
    assert rows[1]["signature"] == "steep_e(leaf_steep_e=None, cup)"
    assert rows[1]["text"] == SAYS.format("steep")
    assert not any(isinstance(value, list) for value in rows[1].values())


def test_a_signature_is_no_part_of_the_text_behind_it() -> None:
    bodies = [OF_DOKKA.format(name, SAYS.format(name)) for name in NAMES]
    row = values_of(columns_of(bodies), bodies[4])
    assert (row["signature"], row["text"]) == ("fun stir(leaf: Leafstir)", SAYS.format("stir"))


def test_a_long_signature_is_no_part_of_a_text_and_no_value_of_the_label_before_it() -> None:
    leaves = ", ".join(f"<i>leaf{at}</i>: <a href=leaf{at}.html>Leaf{at}</a>" for at in range(9))
    body = (
        "<h1>{0}</h1><div class=content><p>{2} It is old.</p><div><b>Common</b>"
        f"<div class='symbol monospace'><b>fun</b> <a href={{0}}.html>{{0}}</a>({leaves})</div></div>"
        "<p>{1}</p></div>"
    )
    bodies = [body.format(name, SAYS.format(name), SAYS.format(f"not {name}")) for name in NAMES]
    row = values_of(columns_of(bodies), bodies[4])
    assert row["signature"].startswith("fun stir(leaf0: Leaf0, leaf1: Leaf1")
    assert "Leaf1" not in row["text"]
    assert "Common" not in row


def test_a_signature_that_few_texts_have_is_no_part_of_these() -> None:
    signature = "<div class='symbol monospace'><b>fun</b> <a href={0}.html>{0}</a>(<i>leaf</i>)</div>"
    bodies = [
        f"<h1>{name}</h1><div class=content><p>{SAYS.format(name)}</p>"
        f"{signature.format(name) if at % 4 == 3 else ''}<p>{SAYS.format(at)}</p></div>"
        for at, name in enumerate([*NAMES, *NAMES[:6]])
    ]
    row = values_of(columns_of(bodies), bodies[-1])
    assert row["text"] == f"{SAYS.format('chill')} {SAYS.format(15)}"
    assert row["signature"] == "fun chill(leaf)"
