"""The tables of the papers, and what chose a constant; see ``lab/papers/README.md``."""
