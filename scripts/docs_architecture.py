"""Draws the import graph of the packages into ARCHITECTURE.md: `just docs`; `--check` only compares."""

import sys
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final

import grimp

ROOT: Final = Path(__file__).resolve().parents[1]
DOCUMENT: Final = ROOT / "ARCHITECTURE.md"
BLOCK: Final = "<!-- imports of {0} -->\n{1}<!-- end of {0} -->"

type Edges = Mapping[str, frozenset[str]]


def imports(graph: grimp.ImportGraph, parent: str) -> Edges:
    """Which children of a package import which other children; of the whole product only its layers count."""
    whole = parent == "shiftwork"
    children = sorted(child for child in graph.find_children(parent) if not whole or _is_layer(graph, child))
    found = {}
    for child in children:
        reached = (other for other in children if other != child and _imports(graph, child, other))
        found[child.rpartition(".")[2]] = frozenset(other.rpartition(".")[2] for other in reached)
    return found


def _is_layer(graph: grimp.ImportGraph, child: str) -> bool:
    return bool(graph.find_children(child)) or child == "shiftwork.errors"


def _imports(graph: grimp.ImportGraph, importer: str, imported: str) -> bool:
    return graph.direct_import_exists(importer=importer, imported=imported, as_packages=True)


def reduced(edges: Edges) -> Edges:
    """Without the imports that follow from others: A → C, where A → B → C."""
    below = {name: _reachable(edges, name) for name in edges}
    return {
        name: frozenset(target for target in targets if not any(target in below[other] for other in targets))
        for name, targets in edges.items()
    }


def _reachable(edges: Edges, start: str) -> set[str]:
    found: set[str] = set()
    left = list(edges[start])
    while left:
        if (name := left.pop()) not in found:
            found.add(name)
            left.extend(edges[name])
    return found


def drawn(edges: Edges) -> str:
    return "\n".join(("```mermaid", "flowchart TD", *_arrows(reduced(edges)), "```", ""))


def _arrows(edges: Edges) -> Iterator[str]:
    below_first = TopologicalSorter({name: sorted(edges[name]) for name in sorted(edges)}).static_order()
    above_first = reversed(tuple(below_first))  # a cycle raises CycleError
    for name in above_first:
        for target in sorted(edges[name]):
            yield f"    {name} --> {target}"


def document(text: str) -> str:
    graph = grimp.build_graph("shiftwork", cache_dir=None)
    for parent in ("shiftwork", "shiftwork.domain"):
        begin, end = BLOCK.format(parent, "|").split("|")
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}{drawn(imports(graph, parent))}{end}{rest.partition(end)[2]}"
    return text


def main(arguments: list[str]) -> int:
    """Write the page, or nothing with `--check`; the exit code says whether the page was out of date."""
    present = DOCUMENT.read_text(encoding="utf-8")
    wanted = document(present)
    if "--check" in arguments:
        print("" if present == wanted else f"{DOCUMENT.name} is out of date: just docs")
        return int(present != wanted)
    DOCUMENT.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
