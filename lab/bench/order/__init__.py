"""In which order do crawls fetch the content of saved sites? See ``python -m lab.bench.order --help``."""
