"""`just seeded-defects`: makes each defect in a copy of the work tree, and prints which test finds it.

Names choose defects or subjects. The tests of a subject are first run without a defect, unless `--trust-green` is
given; `--whole` continues with all other tests. Exits with 1 if a patch does not apply or a defect is not found.
"""

import argparse
import sys
import time
from collections.abc import Sequence

from shiftwork.records import dataclass
from tests.seeded_defects.defects import DEFECTS, NEAREST, Defect
from tests.seeded_defects.disposable_copy import CopyError, DisposableCopy, copy_work_tree, run_in_order


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The test that found a defect; empty if none did. `problem` is why it could not be tried."""

    defect: Defect
    test: str = ""
    seconds: float = 0.0
    problem: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="just seeded-defects", description=__doc__)
    parser.add_argument("names", nargs="*", help="defects or subjects; by default all")
    parser.add_argument("--trust-green", action="store_true", help="do not run the tests without a defect first")
    parser.add_argument("--whole", action="store_true", help="go on to all tests if those of the subject find nothing")
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    known = {*NEAREST, *(defect.name for defect in DEFECTS)}
    if unknown := [name for name in asked.names if name not in known]:
        parser.error(f"there is no defect or subject {', '.join(unknown)}")
    chosen = [defect for defect in DEFECTS if not asked.names or {defect.name, defect.subject} & {*asked.names}]
    with copy_work_tree(workers=asked.workers) as copied:
        if not asked.trust_green and (red := _red_without_defect(copied, chosen)):
            _say(f"red without any defect: {', '.join(red)}")
            return 1
        findings = [_try_defect(copied, defect, whole=asked.whole) for defect in chosen]
    return _print_table(findings)


def _red_without_defect(copied: DisposableCopy, chosen: Sequence[Defect]) -> list[str]:
    paths = dict.fromkeys(path for defect in chosen for path in NEAREST[defect.subject])
    outermost = [path for path in paths if not any(path.startswith(f"{other}/") for other in paths)]
    return [test for path in outermost for test in copied.run_tests(path).red]


def _try_defect(copied: DisposableCopy, defect: Defect, *, whole: bool) -> Finding:
    begun, paths = time.monotonic(), NEAREST[defect.subject]
    try:
        with copied.patched(defect.patch):
            test = run_in_order(copied, paths)
            if whole and not test:
                others = copied.run_tests("-x", "tests", *(f"--ignore={path}" for path in paths))
                test = others.red[0] if others.red else ""
        seconds = time.monotonic() - begun
        problem = ""
        if test and copied.run_tests(test).red:
            problem = f"{test} is red without the defect too"
    except CopyError as error:
        test, seconds, problem = "", time.monotonic() - begun, str(error)
    _say(f"{defect.subject}/{defect.name}: {problem or test or 'NOT FOUND'}  ({seconds:.0f} s)")
    return Finding(defect=defect, test=test, seconds=seconds, problem=problem)


def _print_table(findings: Sequence[Finding]) -> int:
    width = max(len(f"{finding.defect.subject}/{finding.defect.name}") for finding in findings)
    _say(f"\n{'defect':{width}}  seconds  found by")
    for finding in findings:
        name = f"{finding.defect.subject}/{finding.defect.name}"
        _say(f"{name:{width}}  {finding.seconds:7.0f}  {finding.problem or finding.test or 'NOT FOUND'}")
    missed = [finding for finding in findings if finding.problem or not finding.test]
    _say(f"\n{len(findings) - len(missed)} of {len(findings)} defects are found")
    return 1 if missed else 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
