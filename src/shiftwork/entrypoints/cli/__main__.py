"""The command as a module, for processes that the program itself starts."""

import sys

from shiftwork.entrypoints.cli import main

if __name__ == "__main__":
    sys.exit(main())
