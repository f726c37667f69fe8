"""Run Scrapy's own tests with templcrawl's add-on in Scrapy's default settings.

The source distribution of Scrapy is unpacked outside of this repository (else its tests would read
our scrapy.cfg), one line is added to its default settings, and all processes that a test starts import
that copy. ``--bare`` leaves the line out, and with it the list of differences: what fails then is not ours.
All other arguments go to pytest; a file that is named runs though it is left out elsewhere.

    python -m tests.scrapy_own <folder for scrapy-<version>.tar.gz> [--bare] [argument of pytest ...]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

_ON = '\nADDONS = {"templcrawl.Addon": 500}\n'
_LEFT_OUT = (
    # commands and scripts in processes of their own, 3 s each; a busy machine exceeds Scrapy's limit of 15 s
    "tests/test_cmdline*",
    "tests/test_command*",
    "tests/test_crawler_subprocess.py",
    # what moves bytes, and parts that no crawler stands behind
    "tests/test_downloader_handler*",
    "tests/test_http*",
    "tests/test_link*",
    "tests/test_loader.py",
    "tests/test_mail.py",
    "tests/test_response*",
    "tests/test_robotstxt_interface.py",
    "tests/test_selector.py",
    "tests/test_utils_*",
)
_OPTIONS = (
    "-q",
    "--override-ini=testpaths=tests",
    "--numprocesses=auto",
    "--timeout=120",
    "--timeout-method=thread",
    "-pno:cacheprovider",
    "-Wignore::pytest.PytestRemovedIn10Warning",  # tests older than the pytest of .ci/constraints.txt
)


def main(folder: str, *arguments: str) -> int:
    """Return the exit status of pytest.

    folder     where the source distribution of the installed Scrapy lies; it is downloaded if it is not there
    arguments  ``--bare``, and what pytest is given
    """
    release = f"scrapy-{version('scrapy')}"
    if not Path(folder, f"{release}.tar.gz").exists():
        download = ("download", "--quiet", "--no-deps", "--no-binary", "scrapy", "--dest", folder)
        pinned = f"scrapy=={version('scrapy')}"
        subprocess.run([sys.executable, "-m", "pip", *download, pinned], check=True)
    rest = [argument for argument in arguments if argument != "--bare"]
    with TemporaryDirectory() as unpacked:
        shutil.unpack_archive(Path(folder, f"{release}.tar.gz"), unpacked)
        root = Path(unpacked, release)
        options = list(_OPTIONS)
        if not any(argument.startswith("tests/") for argument in rest):
            options += [f"--ignore-glob={name}" for name in _LEFT_OUT]
        if "--bare" not in arguments:
            with (root / "scrapy/settings/default_settings.py").open("a", encoding="utf-8") as settings:
                settings.write(_ON)
            options.append("-pdifferences")
        path = os.pathsep.join([str(root), str(Path(__file__).parent)])
        command = [sys.executable, "-m", "pytest", *options, *rest]
        return subprocess.run(
            command, cwd=root, env={**os.environ, "PYTHONPATH": path}, check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
