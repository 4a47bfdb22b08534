"""The command line. Nothing is imported here before it is needed: `--help` and `status` must answer at once."""

_INTERRUPTED = 130
"""Of `errors`, which is not imported here."""


def main() -> int:
    try:
        code = _loaded_and_run()
    except KeyboardInterrupt:  # while modules were being loaded, or an error was being printed
        code = _INTERRUPTED
    import gc  # noqa: PLC0415 - see above
    import signal  # noqa: PLC0415 - see above

    # All is done and said. The interpreter lets go of our handlers before it is gone, and an interrupt on the way out
    # would print a traceback.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nor is it worth a last search on the way out, which would take another tenth.
    gc.freeze()
    return code


def _loaded_and_run() -> int:
    import gc  # noqa: PLC0415 - see above

    # What is being imported is no garbage, and looking for some there takes a tenth of the time of `status`. The group
    # lets the collector go on when the command is loaded.
    gc.disable()
    import signal  # noqa: F401, PLC0415 - loaded here, because nothing catches an interrupt on the way out

    from shiftwork import umask  # noqa: PLC0415 - see above
    from shiftwork.entrypoints.cli.error_boundary import guarded  # noqa: PLC0415 - see above

    umask.close()
    return guarded()
