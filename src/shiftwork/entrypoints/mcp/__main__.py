"""`python -I -S <this file> <desk>`: serve one attempt's tools until its agent hangs up.

Started by its path on a bare interpreter, because every attempt of every agent waits for it: `-m` and the `site`
module, which runs whatever start-up hooks other packages have installed, take longer than all that is done here. Only
the standard library is needed; the package itself is found from this file, after everything else.
"""

import sys

if __name__ == "__main__":
    sys.path.append(__file__.rsplit("/", 4)[0])
    from shiftwork.entrypoints.mcp.mcp_server import serve

    serve(sys.argv[1])
