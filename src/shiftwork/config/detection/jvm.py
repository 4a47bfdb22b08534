"""Gates of a Maven or Gradle project, with its own wrapper if it has one."""

import re
from typing import Final

from shiftwork.config.detection.folder import Folder
from shiftwork.config.detection.found import Detected, FoundGate
from shiftwork.regexes import regex

_GRADLE: Final = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
_GRADLE_CHECKS: Final = regex(r"spotless|checkstyle|detekt|ktlint|pmd|spotbugs|errorprone", re.IGNORECASE)


def find(folder: Folder) -> Detected:
    """Both download their dependencies by themselves."""
    if folder.has("pom.xml"):
        maven = folder.runs("mvnw") if folder.has("mvnw") else "mvn"
        return Detected(gates=(FoundGate(name="test", command=f"{maven} -B -ntp test", source="pom.xml"),))
    source = folder.first(*_GRADLE)
    if not source:
        return Detected()
    # Without a daemon: it would outlive the gate and be killed with it.
    gradle = f"{folder.runs('gradlew') if folder.has('gradlew') else 'gradle'} --no-daemon"
    gates = [FoundGate(name="test", command=f"{gradle} test", source=source)]
    if any(_GRADLE_CHECKS.search(folder.text(file)) for file in _GRADLE):
        gates.insert(0, FoundGate(name="lint", command=f"{gradle} check -x test", source=source))
    return Detected(gates=tuple(gates))
