"""The only place where errors become messages and exit codes: two lines, never a traceback on the screen."""

import contextlib
import errno
import os
import sys

from shiftwork import errors

_AGAIN_SECONDS = 0.02


def guarded() -> int:
    """Runs the command and returns the exit code."""
    sys.unraisablehook = _unraised
    try:
        code = _run()
        sys.stdout.flush()
    except SystemExit as ended:
        # Click exits this way after it has completed words for a shell, and when a pipe is broken.
        return errors.EXIT_DONE if ended.code == 0 or _undelivered() else errors.EXIT_FAILED
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - this is the boundary: nothing may pass it
        return _ended(error)
    return code if isinstance(code, int) else errors.EXIT_DONE


def _run() -> object:
    """Runs the command; `status` without click, if click has nothing to do: no arguments, no warning, no encoding."""
    if sys.argv[1:] == ["status"] and sys.stdout.encoding == "utf-8":
        from shiftwork.config.site import environment  # noqa: PLC0415 - help does not need it
        from shiftwork.config.variables import without_effect  # noqa: PLC0415 - as above

        if not any(without_effect(environment())):  # the group would warn
            from shiftwork.entrypoints.cli.run_status import printed, status_of  # noqa: PLC0415 - as above

            sys.stdout.write(f"{printed(status_of())}\n")
            return errors.EXIT_DONE
    from shiftwork.entrypoints.cli.group import group  # noqa: PLC0415 - takes as long as the whole of `status`

    return group.main(prog_name="shiftwork", standalone_mode=False)


def _ended(error: BaseException) -> int:
    import click  # noqa: PLC0415 - only an error pays for it

    match error:
        case errors.ShiftworkError():
            return _output(error.kind, error.message, error.hint or _way_on(error.exit_code), error.exit_code)
        case click.UsageError():
            command = error.ctx.command_path if error.ctx else "shiftwork"
            message = error.format_message()
            if isinstance(error, click.NoSuchOption):
                meant = f"; did you mean {error.possibilities[0]}?" if error.possibilities else ""
                message = f"there is no option {error.option_name}{meant}"
            return _output("usage", message, f"{command} --help", errors.EXIT_USAGE)
        case click.ClickException():
            return _output("usage", error.format_message(), _way_on(errors.EXIT_USAGE), errors.EXIT_USAGE)
        case click.Abort() | KeyboardInterrupt():
            _leave_quietly()
            return _output("interrupted", "interrupted", "", errors.EXIT_INTERRUPTED)
        case OSError() if error.errno in {errno.EPIPE, errno.EIO} and _undelivered():
            return errors.EXIT_DONE
        case _:
            refusal = _refusal(error) if isinstance(error, OSError) else None
            return _output("files", *refusal, errors.EXIT_FAILED) if refusal else _crashed(error)


def _unraised(thrown: "sys.UnraisableHookArgs") -> None:
    """Python drops an interrupt that arrives during clean-up (a weak reference, a finaliser) and prints a traceback.
    This sends the interrupt again after the clean-up.
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
    """Suppresses warnings of unfinished objects, such as an event loop, after an interrupt."""
    import warnings  # noqa: PLC0415 - only an interrupt pays for it

    sys.unraisablehook = lambda _: None
    warnings.simplefilter("ignore")


def _way_on(exit_code: int) -> str:
    """A hint that always applies, for errors without a better hint."""
    return "shiftwork --help" if exit_code == errors.EXIT_USAGE else "shiftwork doctor"


def _output(kind: str, message: str, hint: str, exit_code: int) -> int:
    message, hint = _without_secrets(message), _without_secrets(hint)
    import click  # noqa: PLC0415 - only an error pays for it

    # Read from the arguments, because after a usage error nothing has been parsed.
    if "--json" in sys.argv:
        from shiftwork.app.views.documents.error_document import Error  # noqa: PLC0415 - only an error pays for it
        from shiftwork.entrypoints.cli.render.json import say  # noqa: PLC0415 - as above

        say(Error(kind=kind, message=message, hint=hint, exit_code=exit_code))
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
    """What the machine would refuse any program, and what to do about it; None for errors that are a defect of ours."""
    file = error.filename if isinstance(error.filename, str) else ""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            message = "the disk is full"
            return f"{message}: {file}" if file else message, "df -h shows where; make room, and try again"
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
    where = f"the details are in {kept}" if kept else f"it came from {last}, and the details could not be saved"
    return _output("crash", message, f"{where}; please report them" if kept else where, errors.EXIT_FAILED)


def _kept(text: str) -> str:
    """Where the traceback was saved: the state folder, else the system's temporary folder; empty if neither works."""
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
            os.unlink(name)  # noqa: PTH108 - as above; an incomplete file is of no use
        return ""
    return name


def _undelivered() -> bool:
    """Whether the reader of the pipe, or the terminal, has closed its end."""
    from shiftwork.entrypoints.cli.env.broken_pipe import fall_silent  # noqa: PLC0415 - only a closed pipe pays for it

    return fall_silent()
