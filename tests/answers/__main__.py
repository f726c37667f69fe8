"""Compare or keep the digest of answers; see :mod:`tests.answers.digest`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.answers.answers import answers_of_site
from tests.answers.digest import (
    KEPT,
    Digest,
    differences,
    digest_of_site,
    generated_sites,
    read_digest,
    saved_sites,
    write_digest,
)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.answers", description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the new answers")
    parser.add_argument("--show", nargs=3, metavar=("SITE", "KIND", "N"), help="print an answer whole")
    parser.add_argument(
        "--of", nargs=2, type=Path, metavar=("FOLDER", "FILE"), help="saved sites, and their digest"
    )
    parser.add_argument("--pages", type=int, default=40, help="pages of each saved site (%(default)s)")
    return parser.parse_args()


def main() -> int:
    """Return 1 where an answer differs."""
    options = _options()
    file = options.of[1] if options.of else KEPT
    sites = saved_sites(options.of[0], options.pages) if options.of else generated_sites()
    if options.show:
        site, kind, number = options.show
        for page, answer in answers_of_site(sites[site]()):
            if (page, answer[0]) == (int(number), kind):
                print(answer[1])
        return 0
    was: Digest = read_digest(file) if file.exists() else {}
    now: Digest = {}
    for name, make in sites.items():
        now[name] = digest_of_site(make())
        for difference in differences(was.get(name, {}), now[name]) if was else ():
            print(f"{name}  {difference}", flush=True)
    if options.write or not was:
        write_digest(now, file)
    print(f"{sum(len(kinds) for kinds in now.values()):,} rows of {len(now)} sites")
    return int(bool(was) and now != was and not options.write)


if __name__ == "__main__":
    sys.exit(main())
