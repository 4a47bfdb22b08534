"""What follows from the model: a state in; effects, or a state, out. The modules, by what they are about:

The circle:
    decide_run, evolve_run            what a run does next, and how a fact changes it
    decide_story, evolve_story        the same of a story
    decide_queue, evolve_queue        the same of a landing queue
    machine, deciding                 the tables by which a status changes; what all decisions share

A run and its stories:
    graph, scheduling, apart          what hangs on what; which story starts; what keeps two apart
    assigning, framing, looping       what a story is given; the run's own steps; the loop among them
    base_repair                       a red base, repaired before any other story
    options                           what of its options a run keeps, and what changes them
    naming                            which story is meant by an id that was typed differently
    intents, steering                 what people may ask for; how a run follows it
    ticking, noticing, remembering    the spec's file; people who do not watch; notes within bounds

A story and its steps:
    routing, context, editing         where a decision leads; values for templates; the eleven guardrails
    asking, waiting, reopening        for a person; for the end of a limit; paused, undone, begun once more
    approving                         what a person approves is what lands
    withdrawing                       a request to land that is taken back
    repairing, repeating              repairs that lead nowhere; an agent that repeats itself
    timing, idling                    how long steps and stories took; what of it was only waiting
    choosing                          which profile plays a role: a bandit without dice

Money and tokens:
    budgets, booking                  the run's books: set aside and settled; what was used before it had a limit
    allowing, charging                the story's side: limits and allowances; what an attempt adds
    spending, forecasting             sums, for every view; what work may cost

Landing and proof:
    landing, gating, trimming         batches; what red gates come to; what matters of their output
    addressing                        what of a refusal is for people
    reserved                          paths of git's and the harness's own, where nothing lands
    evidence, checkable               what a claim is worth; what can be claimed at all
    defining, runners                 whether a test is there; whether a runner said that it passed or failed
    fail_to_pass, load_errors         whether changed tests fail without the change; whether anything loaded there
    certifying, attesting             the certificate; the landed commit held against one
    proof_status                      how far a landed story is proved, and the words for it
    commit_message                    what a landed commit says
    environments                      what an environment is known by
    explaining                        why a gate is green in the user's checkout alone
    test_gates, product               which gates run tests; which files are the product's own sources
    spec_gates                        the gates of a run: the settings' and those of its spec

What a story may have done to its own checks:
    inspecting, patches               what its diff does to them
    protecting, sources, commanding   which files those are: by name, by ending, by a gate's command
    ecosystems, keys                  their names in each ecosystem; the keys of a file that configure runners
    evading                           lines that reach into a runner, and packages from elsewhere
    tallies, voiding                  how many tests a runner counted; what speaks against a green gate
    surveying                         what is asked of the base about it, and how the answers are read
    restoring                         which of its changes the gates are run without
    exemptions                        which checks its spec lets it change
    later_files                       files that run on the user's machine later, and what is done with them

Whether gates see the tree in which they run:
    canary, blindness                 what is broken next, and the verdict; what people read of it
    roots                             which files are broken, and the package or member that each belongs to
    breaking, statements, places      a file that fails on purpose; by what statement; where that stands

Calls out of a sandbox:
    reaching                          whether a program may call a host
    needs                             what a gate that is red in a sandbox seems to need of the machine
"""
