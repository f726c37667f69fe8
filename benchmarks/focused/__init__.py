"""Which order of fetching finds pages on a topic first?  See ``python -m benchmarks.focused --help``."""
