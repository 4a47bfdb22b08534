"""The command line. Modules are imported only when needed, so that `--help` and `status` answer at once."""

_INTERRUPTED = 130
"""The same as in `errors`, which is not imported here."""

OBJECTS = 100_000
"""So many new objects between two collections: more than a quick command makes, and some ten megabytes."""


def main() -> int:
    try:
        code = _loaded_and_run()
    except KeyboardInterrupt:  # while modules were being loaded, or an error was being printed
        code = _INTERRUPTED
    import gc  # noqa: PLC0415 - see above
    import signal  # noqa: PLC0415 - see above

    # The command is complete. The interpreter removes our signal handlers before it ends, and an interrupt at that time
    # would print a traceback.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A last garbage collection at exit would take another tenth of the time.
    gc.freeze()
    return code


def _loaded_and_run() -> int:
    import gc  # noqa: PLC0415 - see above

    # Imported modules are no garbage, and looking for some so often takes a tenth of the time of every quick command.
    gc.set_threshold(OBJECTS)
    import signal  # noqa: F401, PLC0415 - loaded here, because nothing catches an interrupt on the way out

    from shiftwork import umask  # noqa: PLC0415 - see above
    from shiftwork.entrypoints.cli.error_boundary import guarded  # noqa: PLC0415 - see above

    umask.close()
    return guarded()
