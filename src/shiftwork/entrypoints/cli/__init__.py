"""The command line. Nothing is imported here before it is needed: `--help` and `status` must answer at once."""

_INTERRUPTED = 130
"""Of `errors`, which is not imported here."""


def main() -> int:
    import gc  # noqa: PLC0415 - see above

    # What is being imported is no garbage, and looking for some there takes a tenth of the time of `status`. The group
    # lets the collector go on when the command is loaded.
    gc.disable()
    from shiftwork.entrypoints.cli.boundary import guarded  # noqa: PLC0415 - see above

    code = guarded()
    if code == _INTERRUPTED:
        import signal  # noqa: PLC0415 - see above

        # The interpreter lets go of our handlers before it is gone; whoever asks again by then has had their way.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nor is it worth a last search on the way out, which would take another tenth.
    gc.freeze()
    return code
