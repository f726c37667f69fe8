"""In which order do crawls fetch the content of saved sites? See ``python -m benchmarks.order --help``."""
