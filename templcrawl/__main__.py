"""``python -m templcrawl ADDRESS -o FOLDER``."""

import sys

from templcrawl.command.line import main

if __name__ == "__main__":
    sys.exit(main())
