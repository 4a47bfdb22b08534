"""`python -m shiftwork.entrypoints.mcp <desk>`: serve one attempt's tools until its agent hangs up."""

import sys
from pathlib import Path

from shiftwork.entrypoints.mcp.server import serve

if __name__ == "__main__":
    serve(Path(sys.argv[1]))
