"""`just fuzz-answers`: reads random answers of agents, and answers in random forms; it ends with an error at the first
that is read wrongly.
"""

import argparse
import sys

from tests.properties.test_answer_forms import check_forms
from tests.properties.test_contract import check_nasty_answers


def main() -> None:
    parser = argparse.ArgumentParser(prog="just fuzz-answers", description=__doc__)
    parser.add_argument("--inputs", type=int, default=200_000, help="how many of each kind")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    check_nasty_answers(asked.inputs, asked.seed)
    _say(f"{asked.inputs:,} random answers: no error, and none read as two decisions")
    check_forms(asked.inputs // 2, asked.seed)
    _say(f"{asked.inputs:,} answers in random forms: all read as the plain form, or refused as ambiguous")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
