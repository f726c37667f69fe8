"""``python -m templcrawl ADDRESS -o FOLDER``."""

import sys

from templcrawl.command.line import main

sys.exit(main())
