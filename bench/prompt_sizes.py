"""How long the prompt of each step of each bundled workflow is, in bytes, and how much of it its story repeats.

The story, its notes and the memory are those of the golden prompts. `same` are the bytes with which all prompts of the
same workflow begin: an agent that caches the beginning of its input reads them once.
"""

from itertools import groupby, takewhile

from tests.golden.test_workflow_prompts import NAMES, prompts


def beginning(texts: list[bytes]) -> int:
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*texts, strict=False)))


def main() -> None:
    rows = [(file, text.encode()) for name in NAMES for file, text in prompts(name)]
    print(f"{'step':<32}{'bytes':>8}{'same':>8}")
    for _, steps in groupby(rows, lambda row: row[0].partition(".")[0]):
        group = list(steps)
        same = beginning([text for _, text in group])
        for file, text in group:
            print(f"{file:<32}{len(text):>8}{same:>8}")
    print(f"{'all':<32}{sum(len(text) for _, text in rows):>8}")


if __name__ == "__main__":
    main()
