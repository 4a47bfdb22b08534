"""Writes the OpenAPI description of the HTTP API as JSON, to a file or to the output, without a server."""

import sys
from json import dumps
from pathlib import Path

from shiftwork.entrypoints.api.application import routes


def main(arguments: list[str]) -> int:
    text = f"{dumps(routes().openapi(), indent=1)}\n"
    if arguments:
        Path(arguments[0]).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
