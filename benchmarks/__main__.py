"""``make bench``: print every benchmark table."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from benchmarks import broad, crawl_cost, speed


def main() -> None:
    """Run all benchmarks, or one."""
    every: dict[str, Callable[[str | None], None]] = {
        "speed": speed.main,
        "crawl-cost": crawl_cost.main,
        "broad": lambda _: broad.main(["--quick"]),
    }
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", choices=sorted(every), help="run one benchmark")
    parser.add_argument("--pages", metavar="FOLDER", help="read saved pages instead of generated ones")
    arguments = parser.parse_args()
    for name, benchmark in every.items():
        if arguments.only in (None, name):
            benchmark(arguments.pages)


if __name__ == "__main__":
    main()
