"""The one place where errors become words and exit codes: two calm lines, never a traceback on the screen."""

import contextlib
import errno
import os
import sys

import click

from shiftwork import errors
from shiftwork.entrypoints.cli.group import group

_AGAIN_SECONDS = 0.02


def guarded() -> int:
    """Run what the command line asks for; the exit code is the answer."""
    sys.unraisablehook = _unraised
    try:
        code = group.main(prog_name="shiftwork", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit:
        # Click's own way out, where a pipe is broken.
        return errors.EXIT_DONE if _unheard() else errors.EXIT_FAILED
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - this is the boundary: nothing may pass it
        return _ended(error)
    return code if isinstance(code, int) else errors.EXIT_DONE


def _ended(error: BaseException) -> int:
    match error:
        case errors.ShiftworkError():
            return _told(error.kind, error.message, error.hint or _way_on(error.exit_code), error.exit_code)
        case click.UsageError():
            command = error.ctx.command_path if error.ctx else "shiftwork"
            return _told("usage", error.format_message(), f"{command} --help", errors.EXIT_USAGE)
        case click.ClickException():
            return _told("usage", error.format_message(), _way_on(errors.EXIT_USAGE), errors.EXIT_USAGE)
        case click.Abort() | KeyboardInterrupt():
            _leave_quietly()
            return _told("interrupted", "interrupted", "", errors.EXIT_INTERRUPTED)
        case OSError() if error.errno in {errno.EPIPE, errno.EIO} and _unheard():
            return errors.EXIT_DONE
        case _:
            refusal = _refusal(error) if isinstance(error, OSError) else None
            return _told("files", *refusal, errors.EXIT_FAILED) if refusal else _crashed(error)


def _unraised(thrown: "sys.UnraisableHookArgs") -> None:
    """Python drops an interrupt that arrives while it clears up (a weak reference, a finaliser) and prints a traceback.
    The interrupt is sent once more, when that is over.
    """
    if not isinstance(thrown.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(thrown)
        return
    import signal  # noqa: PLC0415 - only an interrupt pays for it
    from threading import Timer  # noqa: PLC0415 - as above

    again = Timer(_AGAIN_SECONDS, os.kill, (os.getpid(), signal.SIGINT))
    again.daemon = True
    with contextlib.suppress(RuntimeError):  # the process is about to end anyway
        again.start()


def _leave_quietly() -> None:
    """What an interrupt has left half made, such as an event loop, complains when it is thrown away."""
    import warnings  # noqa: PLC0415 - only an interrupt pays for it

    sys.unraisablehook = lambda _: None
    warnings.simplefilter("ignore")


def _way_on(exit_code: int) -> str:
    """What can always be typed next; most errors know better."""
    return "shiftwork --help" if exit_code == errors.EXIT_USAGE else "shiftwork doctor"


def _told(kind: str, message: str, hint: str, exit_code: int) -> int:
    message, hint = _without_secrets(message), _without_secrets(hint)
    # Asked of the words themselves: where the mistake is in them, nothing has been parsed.
    if "--json" in sys.argv:
        from json import dumps  # noqa: PLC0415 - only an error pays for it

        told = {"kind": kind, "message": message, "hint": hint, "exit_code": exit_code}
        click.echo(dumps({"error": told}))
        return exit_code
    from shiftwork.entrypoints.cli.render.sanitize import plain  # noqa: PLC0415 - only an error pays for it

    lines = [f"shiftwork: {plain(message)}", *([f"  try: {plain(hint)}"] if hint else [])]
    with contextlib.suppress(BrokenPipeError):
        click.echo("\n".join(lines), err=True)
    return exit_code


def _without_secrets(text: str) -> str:
    from shiftwork import redaction  # noqa: PLC0415 - only an error pays for it
    from shiftwork.config.secrets import of_environment  # noqa: PLC0415 - as above
    from shiftwork.config.site import environment  # noqa: PLC0415 - as above

    redaction.learn(of_environment(environment()))
    return redaction.redacted(text)


def _refusal(error: OSError) -> tuple[str, str] | None:
    """What the machine refuses any program, and what to do about it; None for what only a mistake of ours explains."""
    file = error.filename if isinstance(error.filename, str) else ""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            told = "there is no room left on the disk"
            return f"{told}: {file}" if file else told, "df -h shows where; make room, and do it again"
        case errno.EROFS if file:
            hint = "mount it for writing, or work in a copy: git clone"
            return f"{file} cannot be written: its file system is read-only", hint
        case errno.EACCES | errno.EPERM if file:
            folder = os.path.dirname(file) or "."  # noqa: PTH120 - only a crash would pay for pathlib
            return f"{file}: permission denied", f"see who may write there: ls -ld {folder} {file}"
        case _:
            return None


def _crashed(error: BaseException) -> int:
    from traceback import extract_tb, format_exception  # noqa: PLC0415 - only a crash pays for it

    kept = _kept("".join(format_exception(error)))
    message = f"this should not have happened: {type(error).__name__}: {str(error)[:300]}"
    last = next((f"{frame.filename}:{frame.lineno}" for frame in reversed(extract_tb(error.__traceback__))), "nowhere")
    where = f"the details are in {kept}" if kept else f"it came from {last}, and there is no folder to keep more in"
    return _told("crash", message, f"{where}; please report them" if kept else where, errors.EXIT_FAILED)


def _kept(text: str) -> str:
    """Where the traceback is: the state folder, or the system's where there is none; empty where it is in neither."""
    from shiftwork.entrypoints.cli.env.repository import around  # noqa: PLC0415 - only a crash pays for it

    folders: list[str | None] = [None]
    with contextlib.suppress(Exception):
        site = around()
        folders = [str(site.state), None] if site.known_project else folders
    return next(filter(None, (_written(text, folder) for folder in folders)), "")


def _written(text: str, folder: str | None) -> str:
    import tempfile  # noqa: PLC0415 - only a crash pays for it

    name = ""
    try:
        number, name = tempfile.mkstemp(prefix="crash-", suffix=".txt", dir=folder)
        with os.fdopen(number, "w", encoding="utf-8", errors="replace") as file:
            file.write(_without_secrets(text))
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(name)  # noqa: PTH108 - as above; half of it helps nobody
        return ""
    return name


def _unheard() -> bool:
    """Whether the reader of a pipe has gone, or the terminal that this was started on."""
    from shiftwork.entrypoints.cli.env.broken_pipe import fall_silent  # noqa: PLC0415 - only a closed pipe pays for it

    return fall_silent()
