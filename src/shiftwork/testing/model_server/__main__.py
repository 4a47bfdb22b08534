"""The scripted model as a program: `python -m shiftwork.testing.model_server --script file.json` prints its address.

The file contains `{"<script>": [turn, ...], ...}`; see `control` for turns. While it runs, `PUT /_scripts/<script>`
loads another script and `GET /_requests/<script>` returns the recorded requests.
"""

import argparse
import json
import signal
import sys
from pathlib import Path

from shiftwork.testing.model_server.control import script_of
from shiftwork.testing.model_server.server import ModelServer


def main() -> int:
    parser = argparse.ArgumentParser(prog="model_server", description="A model on loopback that follows a script.")
    parser.add_argument("--script", type=Path, help='a JSON file: {"<script>": [turn, ...], ...}')
    parser.add_argument("--port", type=int, default=0, help="default: any free port")
    options = parser.parse_args()
    try:
        given = json.loads(options.script.read_text()) if options.script else {}
        scripts = {name: script_of(turns) for name, turns in given.items()}
    except (OSError, ValueError, AttributeError) as error:
        parser.error(f"{options.script} cannot be read: {error}")
    # Blocked before the server's threads start, so that they inherit it and the wait below gets the signal.
    ends = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    with ModelServer(port=options.port) as server:
        for name, script in scripts.items():
            server.load(name, script)
        sys.stdout.write(server.address + "\n")
        sys.stdout.flush()
        signal.sigwait(ends)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
