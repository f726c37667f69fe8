"""Which order of fetching finds pages on a topic first?  See ``python -m lab.bench.focused --help``."""
