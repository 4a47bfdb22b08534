"""Large files of a change: once landed they are in the repository's history for ever, so a person is asked first."""

from collections.abc import Sequence
from typing import Final

from shiftwork.domain.tampering.findings import Finding, Inspection, Meddling, Touched
from shiftwork.domain.tampering.inspect import bound_findings
from shiftwork.records import replace

MEGABYTE: Final = 1_000_000
_NAMED: Final = 3


def with_large(found: Inspection, touched: Sequence[Touched], limit_mb: int) -> Inspection:
    """The inspection of a change, completed with its files above the limit; what is left out anyway does not count."""
    large = [change for change in touched if change.size > limit_mb * MEGABYTE and change.path not in found.kept]
    if not large:
        return found
    findings = bound_findings([_finding(change) for change in large])
    return replace(found, findings=(*found.findings, *findings), held=True)


def _finding(change: Touched) -> Finding:
    return Finding(kind=Meddling.LARGE, path=change.path, line=f"{change.size // MEGABYTE} MB")


def large_files_named(found: Inspection) -> str:
    """For the question to a person, such as `it adds large files (huge.bin, 500 MB)`; empty where there are none."""
    large = [finding for finding in found.findings if finding.kind is Meddling.LARGE]
    if not large:
        return ""
    more = f" and {sum(finding.count for finding in large) - _NAMED} more" if len(large) > _NAMED else ""
    return f"it adds large files ({'; '.join(f'{file.path}, {file.line}' for file in large[:_NAMED])}{more})"
