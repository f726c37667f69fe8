"""The tables of the papers, and what chose a constant; see ``experiments/README.md``."""
