"""`python -m steelyard`."""

import sys
from os import path

# Python looks for modules in the working directory then, first of all; nothing there is trusted.
if not sys.flags.safe_path and sys.path and sys.path[0] == path.realpath("."):
    del sys.path[0]

from steelyard.cli.main import main

if __name__ == "__main__":
    main()
