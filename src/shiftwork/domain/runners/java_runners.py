"""Maven and Gradle: the errors of javac and kotlinc, and the tests of JUnit."""

import re
from typing import Final

from shiftwork.domain.runners.error_places import Place, find_by_form, make_error, take_block
from shiftwork.domain.runners.runner_report import KnownRunner, Located
from shiftwork.regexes import regex

_COMPILED: Final = regex(
    r"^(?:\[ERROR\] )?(?P<file>\S+\.(?:java|kt|scala|groovy)):(?:\[(?P<line>\d+),\d+\]|(?P<row>\d+): error:) "
    r"(?P<message>.+)$",
    re.MULTILINE,
)
_KOTLIN: Final = regex(r"^e: (?P<file>\S+?\.kts?):(?: \()?(?P<line>\d+)[:,] ?\d+\)?:? (?P<message>.+)$", re.MULTILINE)
_HEADING: Final = regex(
    r"^(?:(?:\[ERROR\] )?(?:[\w.$]+(?:\([^\n()]*\))* --|\w+(?:\([\w.$]+\))? +) ?Time elapsed: .*<<< (?:FAILURE|ERROR)!"
    r"|[\w.$]+(?: > [^\n>]+)+ FAILED)$",
    re.MULTILINE,
)
_END: Final = regex(r"^(?:\[|$|\S.* FAILED$)", re.MULTILINE)
_THROWN: Final = regex(r"^ *(?:[\w$]+\.)+([A-Z][\w$]*)(?:: (.+)| at ([\w$]+\.\w+):(\d+))?$", re.MULTILINE)
_FRAME: Final = regex(r"^ +at (?:[\w.]*/{1,2})?(?:[\w$.]+@[\w.]+/)?([\w$.]+)\(([\w$]+\.\w+):(\d+)\)$", re.MULTILINE)
_RESULT: Final = regex(
    r"^\[ERROR\] +(?P<file>[A-Z]\w*)\.(?:[^\s:]+(?::\d+->\S*?)?):(?P<line>\d+) (?P<message>.+)$", re.MULTILINE
)
_BUILD: Final = regex(r"^\[ERROR\] (?P<message>Failed to execute goal .+?)(?: -> \[Help 1\])?$", re.MULTILINE)
_FAILED: Final = regex(
    r"^(?:\[ERROR\] )?([\w.$]+)(?:\([^\n()]*\))* -- Time elapsed: .*<<< (?:FAILURE|ERROR)!$"
    r"|^([\w.$]+(?: > [^\n>]+)+) FAILED$",
    re.MULTILINE,
)
_MACHINERY: Final = ("java.", "jdk.", "sun.", "org.junit.", "junit.", "org.opentest4j.", "org.gradle.", "org.assertj.")


def _find_error(text: str) -> Located | None:
    """A compiler ends a build before any test, so its error comes first; then a failed test, then the list of these."""
    if found := _COMPILED.search(text):
        return found.start(), make_error(found["message"], (found["file"], int(found["line"] or found["row"])))
    return find_by_form(_KOTLIN, text) or _find_in_tests(text) or _find_result(text) or find_by_form(_BUILD, text)


def _find_in_tests(text: str) -> Located | None:
    if (found := _HEADING.search(text)) is None:
        return None
    block = take_block(text, found.start(), _END)
    if (thrown := _THROWN.search(block, found.end() - found.start())) is None:
        return None
    shown = (thrown[3], int(thrown[4])) if thrown[3] else ("", 0)
    return found.start(), make_error(
        f"{thrown[1]}: {thrown[2]}" if thrown[2] else thrown[1], _own_frame(block) or shown
    )


def _own_frame(block: str) -> Place | None:
    """The first frame outside of Java and of its test tools, by the names of packages; its file is in a folder of that
    name.
    """
    for frame in _FRAME.finditer(block):
        if not frame[1].startswith(_MACHINERY):
            folders = frame[1].split(".")[:-2]
            return "/".join((*folders, frame[2])), int(frame[3])
    return None


def _find_result(text: str) -> Located | None:
    """A line of Maven's list of results names the class only."""
    if (found := _RESULT.search(text)) is None:
        return None
    return found.start(), make_error(found["message"], (f"{found['file']}.java", int(found["line"])))


JAVA: Final = KnownRunner(name="mvn", find_error=_find_error, failed_form=_FAILED)
