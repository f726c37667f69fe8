"""``python -m benchmarks.lone_pages``: what a block is by the gold, what is learned, the table."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rich")

from benchmarks.lone_pages import block_shares, main
from benchmarks.step_regression import fit, steps_of
from templcrawl.algorithms.detectors.block_weights import STEPS
from templcrawl.algorithms.detectors.blocks import Blocks
from templcrawl.page.page import Page

pytestmark = pytest.mark.exhaustive


def page_of(number: int) -> tuple[str, str]:
    text = " ".join(f"Sentence {n} of page {number} is about tea, as all are." for n in range(5))
    menu = "<li><a href=/>Home</a><li><a href=/all>All pages</a>"
    return f"<nav><ul>{menu}</ul></nav><main><p>{text}</p></main><footer>Imprint</footer>", text


def test_a_block_is_content_as_far_as_the_gold_has_its_words_in_a_row() -> None:
    page = Page("<p>one two three four five six</p><p>Menu</p><p>Tea</p><p>four six five one</p>", "")
    shares = block_shares(page, Blocks(page), "One two three four. Nothing more.\nTea")
    assert shares.tolist() == [4 / 6, 0.0, 0.5, 0.0]


def test_what_steps_say_is_learned() -> None:
    values = np.linspace(0, 1, 400)
    columns = {"x": values, "y": np.tile([0.0, 1.0], 200)}
    steps = {name: steps_of(of_it) for name, of_it in columns.items()}
    model = fit(columns, steps, (values > steps["x"][1]) * 1.0, np.ones(400))
    assert (model.scores(columns)[values > steps["x"][1]] > 0).all()
    assert (model.scores(columns)[values <= steps["x"][1]] < 0).all()
    assert abs(model.steps["y"][1][0]) < 0.5


def test_pages_are_scored_by_folds_and_weights_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(12):
        html, text = page_of(number)
        (tmp_path / f"{number:04}.html").write_text(html, encoding="utf-8")
        said = {"_internal": {"page_type": {"primary": "article"}}, "ground_truth": {"main_content": text}}
        said["url"] = f"https://site{number}.example/"
        (tmp_path / f"{number:04}.json").write_text(json.dumps(said), encoding="utf-8")
    weights, figures = tmp_path / "weights.py", tmp_path / "figures"
    main(["--pages", str(tmp_path), "--fit", str(weights), "--json", str(figures)])
    assert "left out" in capsys.readouterr().out
    assert json.loads(figures.read_text(encoding="utf-8"))["article"]["f1"] == 1.0
    assert set(runpy.run_path(str(weights))["STEPS"]) <= set(STEPS)
    main(["--pages", str(tmp_path), "--beside", "all-text"])
    row = capsys.readouterr().out.split("article")[1].split()
    assert row[1] == "12"
    assert 0.5 < float(row[9]) < float(row[7]) == 1.0
