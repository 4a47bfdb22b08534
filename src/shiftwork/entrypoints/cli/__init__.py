"""The command line. Nothing is imported here before it is needed: `--help` and `status` must answer at once.

Each command is a file in `commands`; what several share, or one has much of, is here:

The way in and out:
    boundary, group, registry                   errors to words and exit codes; all commands; their names
    here, conditions, trusting                  the repository; its settings; what of it the user has agreed to
    sentence, bounds, limiting                  arguments that are sentences; options for limits; what they come to
    options, keeping                            options that a run keeps; which are in force when it is resumed
    raising                                     what to type where a limit holds a story
    answer                                      a query answered without an event loop
    hearing, readers                            being asked to end, once or twice; whether anybody reads what we print

From what was typed to what is done:
    asking, ordering, session                   `run`: the spec or sentence; the order; working on it while one watches
    resuming                                    `resume` and `retry`: the options it keeps, the work left
    unused                                      what of the spec's file was not used, and which checks it names
    setup_trust                                 consent to a setup command that was found and has no sandbox
    agent_trust                                 the same to settings of the agent that the repository brings
    beginning                                   whether there is anything to begin, and nobody at it already
    beforehand                                  what is said before anything is paid for
    preflight, red_base                         whether the gates are green and see before any work; the choices if not
    consenting                                  how far a gate that is red in the sandbox may leave it
    carrying, rehearsing                        what earlier runs have learnt; `--dry-run`
    intending, replying                         what is asked of a run; what is said to a story that waits
    unnamed                                     which run is meant where none is named and several are unfinished
    found_gates                                 `init`: what was found is run once
    planner, planned                            `plan`, and a plan as people read it
    proving                                     `proof`
    checkup, gate_checks                        a line of `doctor`; its gates, in a gate tree and in the checkout
    demonstration, demo_script                  `demo`, and what its agent plays

What is seen of a run:
    board                                       what happens in it, folded as it is seen
    live, overview, views                       on a terminal, for one story and for many; elsewhere, line by line
    cursor                                      the terminal's, while the process is stopped
    result, standing                            when it stops; where it stands and what to type next
    left_out                                    where the patch lies of what was left out of its stories
    merging, foreseeing                         what git knows of that: edits in the way; stories that will not merge

How things are shown:
    words, clean, bill                          words and columns; text fit for a terminal; who has used what
    documents, files                            what `--json` prints; a document written where the user wants it
    transcript, tracing                         an attempt's log made readable; which one is meant, and how followed
    gate_logs, gate_reason                      what gates printed; why one is red, on one line
    exactly                                     a text shown to the character, for whoever is to agree to it
    workflow_file                               the file that `workflow new` writes
    workflow_pictures, workflow_svg             a workflow drawn
"""

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
    from shiftwork.entrypoints.cli.boundary import guarded  # noqa: PLC0415 - see above

    umask.close()
    return guarded()
