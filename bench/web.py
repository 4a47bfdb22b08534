"""How quickly the web board opens and scrolls with a large run, and whether memory is flat. Exits 0 only if all hold.

The run has 1,000 stories with 30 steps each; most have landed, some are in progress or need a person, and one has a
log of 100,000 lines. A real server serves the built board (`just web` builds it) to a real Chromium. For each view: how
long until it can be used, and the 95th percentile of the frames while a mouse wheel scrolls it, beside those of a bare
static page with 1,000 lines. The processor time is that of the page until then. Then a page stays open on the run for
`--minutes` while ten facts a second are written: what the page and the server keep at the end is compared with what
they kept after a fifth of that time. The size is that of all scripts and styles of the board, compressed.
"""

import argparse
import asyncio
import gzip
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from bench.limits import LIMIT_MISSED
from bench.serve import served
from bench.web_run import FACTS_A_SECOND, LANDED, LINES, LOGGED, NAME, continued, written
from shiftwork.bootstrap.state.read_only import now
from shiftwork.config.access.tokens import Role, Tokens
from shiftwork.config.site import find_site, open_state
from shiftwork.testing.git_user import new_user

ROOT: Final = Path(__file__).resolve().parent.parent
BOARD: Final = ROOT / "src/shiftwork/board"
OPEN_MS, FRAME_MS, SIZE_KB, GROWTH = 2_000.0, 50.0, 350.0, 1.1

type Row = dict[str, Any]


def in_browser(script: str, *arguments: object, seconds: float = 600) -> Any:
    command = ["node", str(ROOT / "web/bench" / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds)
    if done.returncode:
        raise SystemExit(done.stderr or done.stdout)
    return json.loads(done.stdout)


def size_kb() -> float:
    """Of everything that a browser may load."""
    files = (path for path in BOARD.rglob("*") if path.suffix in {".js", ".css", ".html", ".svg"})
    return sum(len(gzip.compress(path.read_bytes())) for path in files) / 1000


def show_views(rows: Sequence[Row]) -> dict[str, float]:
    """Prints a line for each view; returns each figure as a share of its limit."""
    bare, shares = rows[0], {}
    print(
        f"{'view':<10} {'usable':>10} {'/ bare':>7} {'processor':>10} {'frames (p95)':>13} {'/ bare':>7} {'worst':>8}"
    )
    for row in rows:
        opening = f"{row['open']:7.0f} ms {row['open'] / bare['open']:7.1f} {row['busy']:7.0f} ms"
        scrolling = f"{row['frame']:10.1f} ms {row['frame'] / bare['frame']:7.1f} {row['worst']:5.0f} ms"
        print(f"{row['view']:<10} {opening} {scrolling}  {row['nodes']:,} elements")
        if not row["isExtra"]:  # it goes on after the view can be used
            shares[f"{row['view']}, usable"] = row["open"] / OPEN_MS
        shares[f"{row['view']}, frames"] = row["frame"] / FRAME_MS
    return shares


def show_memory(live: Row, minutes: float) -> dict[str, float]:
    """Prints how the memory grew while the run changed; returns each growth as a share of its limit."""
    samples, shares = live["samples"], {}
    fifth = len(samples) // 5
    early, late = samples[fifth : 2 * fifth], samples[-fifth:]
    course = f"up to {FACTS_A_SECOND} facts a second, {live['landed'] - LANDED} stories landed"
    print(f"\n{minutes:g} minutes of live events ({course}), after a fifth of them and at the end")
    for what, key in (("page", "heap"), ("server", "resident")):
        before, after = (statistics.median(sample[key] for sample in part) / 1e6 for part in (early, late))
        busy = statistics.mean(sample["busy"][what] for sample in samples)
        beside = f", a bare page {live['bare'] / 1e6:.1f} MB" if key == "heap" else ""
        print(f"{what:<10} {before:7.1f} MB {after:7.1f} MB  x {after / before:.2f}{beside}; {busy:.0%} of a processor")
        shares[f"{what}, memory"] = after / before / GROWTH
    nodes = [round(statistics.median(sample["nodes"] for sample in part)) for part in (early, late)]
    print(f"{'elements':<10} {nodes[0]:7,}    {nodes[1]:7,}     x {nodes[1] / nodes[0]:.2f}")
    return shares


def measured(minutes: float) -> dict[str, float]:
    """Each figure as a share of its limit."""
    with tempfile.TemporaryDirectory() as folder:
        user = new_user(Path(folder))
        env = {**user.env, "SHIFTWORK_STATE_HOME": f"{folder}/state", "SHIFTWORK_CACHE_HOME": f"{folder}/cache"}
        site = find_site(user.root, env)
        open_state(site)
        asyncio.run(written(site, now()))
        word = Tokens(site.state).create(Role.OPERATOR, "bench", 1.0)[1]
        spawned = get_context("spawn")
        here, there = spawned.Pipe()
        server = spawned.Process(target=served, args=(site, env, there))
        writer = spawned.Process(target=continued, args=(site, there))
        try:
            server.start()
            url, _ = here.recv()
            shares = show_views(in_browser("pages.mjs", url, word, NAME, LOGGED, LINES))
            if minutes:
                writer.start()
                here.recv()
                seconds = 60 * minutes
                live = in_browser("live.mjs", url, word, NAME, server.pid, seconds, seconds=2 * seconds + 300)
                shares |= show_memory(live, minutes)
        finally:
            for process in (writer, server):
                if process.pid:
                    process.terminate()
                    process.join()
    return shares


def main() -> int:
    if not (BOARD / "index.html").exists():
        sys.exit("the board is not built: just web")
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10.0, help="how long live events are written; 0: not at all")
    shares = measured(parser.parse_args().minutes)
    size = size_kb()
    print(f"\nthe board has {size:.0f} KB compressed")
    shares["size"] = size / SIZE_KB
    for name, share in shares.items():
        if share > 1:
            print(f"DOES NOT HOLD: {name}, {share:.2f} of its limit")
    worst = max(shares, key=lambda name: shares[name])
    limits = f"{OPEN_MS:.0f} ms, {FRAME_MS:.0f} ms, x {GROWTH}, {SIZE_KB:.0f} KB"
    print(f"the worst figure is {shares[worst]:.2f} of its limit: {worst} ({limits})")
    if shares["size"] > 1:
        return 1
    return 0 if shares[worst] <= 1 else LIMIT_MISSED


if __name__ == "__main__":
    sys.exit(main())
