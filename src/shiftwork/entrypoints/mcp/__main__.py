"""`python -I -S <this file> <folder>`: serves the tools of one attempt until its agent disconnects.

Started by its path on a bare interpreter, because every attempt of every agent waits for it: `-m` and the `site`
module, which runs the start-up hooks of installed packages, take longer than the work done here. Only
the standard library is needed; the package itself is found from this file, after everything else.
"""

import sys

if __name__ == "__main__":
    sys.path.append(__file__.rsplit("/", 4)[0])
    from shiftwork.entrypoints.mcp.mcp_server import serve

    serve(sys.argv[1])
