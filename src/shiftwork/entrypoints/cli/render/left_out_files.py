"""Files left out of a run's stories because they would run on the user's machine later: where the patch is, and how to
apply it.
"""

from collections.abc import Iterator
from pathlib import Path

from shiftwork.bootstrap.state.left_out import patch_of_run
from shiftwork.config.site import Site


def rows(site: Site, run: str) -> Iterator[tuple[str, str]]:
    if patch := _patch(site, run):
        yield "left out", str(patch)
        yield "", f"(files that would run on your machine later; look at it, then: {_command(site, patch)})"


def lines(site: Site, run: str) -> Iterator[str]:
    """The same as Markdown."""
    from shiftwork.app.views.report.safe_markdown import code  # noqa: PLC0415 - only a report needs it

    if patch := _patch(site, run):
        yield "\n## Left out\n"
        yield "Files that run on your machine later (hooks, editor tasks, CI) and that no story asked for did not land."
        yield f"Look at them first: {code(str(_shown(site, patch)))} has them as a patch. This command applies it:"
        yield f"\n    {_command(site, patch)}"


def found(site: Site, run: str) -> tuple[str, str] | None:
    """The file of the patch, and the command that applies it; None if nothing was left out."""
    patch = _patch(site, run)
    return (str(patch), _command(site, patch)) if patch else None


def _patch(site: Site, run: str) -> Path | None:
    patch = patch_of_run(site.state, run)
    return patch if patch.is_file() else None


def _command(site: Site, patch: Path) -> str:
    from shlex import quote  # noqa: PLC0415 - `status` is asked for often, and hardly ever needs it

    return f"git apply {quote(str(_shown(site, patch)))}"


def _shown(site: Site, patch: Path) -> Path:
    return patch.relative_to(site.root) if patch.is_relative_to(site.root) else patch
