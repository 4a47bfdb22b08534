// The line of an output that says why something failed: the last assertion or error, no separator and no summary.

const SEPARATOR = /^(?:[\W_]*|[=_⎯!*#-]{3,}.*[=_⎯!*#-]{3,})$/u;
const SUMMARY =
  /^(?:(?:\d+ \w+, )*\d+ (?:failed|errors?|passed|passing|failing|tests?|examples?|runs|problems?)\b.*|FAILED \(.+\)|Ran (?:\d+ tests?|all test suites)\b.*|test result:.*|(?:Test Suites|Test Files|Tests|Snapshots|Time|Duration):?\s.*|npm (?:warn|notice|error|ERR!).*|make(?:\[\d+\])?: .*|exit status \d+|File ".+|Traceback .*|at .+)$/;
const ASSERTION =
  /AssertionError|AssertionFailedError|ExpectationFailed|Failed asserting|assertion .*failed|panicked at|^(?:E )?assert |^[Ee]xpected: |^FAILED \S+::/;
const ERROR =
  /\b[A-Z]\w*(?:Error|Exception)\b|\b(?:error|Error|ERROR|fatal)\b|[Nn]o such file|not found|No module named|[Tt]imed out|[Cc]annot |[Pp]ermission denied|expected .+, got /;

const LONGEST = 2000;

/** The place of the line among `count` lines, each as `textAt` shows it; null if none says why. */
export function failureAt(count: number, textAt: (place: number) => string): number | null {
  for (const pattern of [ASSERTION, ERROR]) {
    for (let at = count - 1; at >= 0; at -= 1) {
      const text = textAt(at).slice(0, LONGEST).replace(/\s+/g, " ").trim();
      if (text.length > 3 && pattern.test(text) && !SEPARATOR.test(text) && !SUMMARY.test(text)) return at;
    }
  }
  return null;
}

/** What failed: the first line of a failure. Why it did is the story's `failure_line`. */
export function whatFailed(failure: string): string {
  return (failure.trim().split("\n")[0] ?? "").replace(/:\s*$/, "");
}
