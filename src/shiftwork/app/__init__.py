"""The application: start at `loop`, then `perform`. The other modules, by what they are about:

The circle:
    loop                          THE MAIN LOOP
    kinds, pen                    what a stream folds to and decides by; writing facts to it
    perform                       from an effect to its facts: the table of all performers
    world, alarm                  the ports, in one value; the news that a job has died
    leases, beat, turns           who works on a run, and whether they live; the last sign of it; who lands on a branch
    again                         what a killed git had begun is done anew
    projections                   the rows that are written beside the facts, for views

An attempt of an agent:
    attempting, attempt           making one; what all parts of it know
    casting, picking              who plays a step; who plays a role where that is to be learnt
    naming, memory                its workspace and its desk; what the run remembers for it
    watching, waiting             while its agent works; while its agent is at a limit
    ending, leaving, edits        what its end means; what it leaves for others; its changes to the pipeline

What streams, people and files are told:
    messages, mail                what lies in inboxes, and the facts it becomes; mail is read before work begins
    dispatching, framing          a run to its stories; a run to its own steps, and they to it
    allowances                    a story and its run, about money and tokens
    ticking, noticing             the spec's file; people who do not watch

Landing:
    landing, gating, proving      batches of candidates; the gates on one; evidence for its criteria
    surveying                     what the base says about the files that a story touched
    canary                        whether gates see the tree that they judge
    fail_to_pass                  the test gates on one without its product change
    checking, withdrawing         the gates on a batch; a story that takes its request back meanwhile

What people ask for:
    commands, beginning           a run as a whole: start, resume, wait, cancel, other limits; one run of a spec at once
    options                       which of its options a run keeps, whatever the settings say when it is resumed
    intents, answering            what is asked of a run; what is said to a story that waits
    rehearsal, forecasting        what a run would send first; what it may cost
    certificates, gates_again     proof of what has landed; its gates, run once more
    cleaning                      what runs have left on disk
    explaining                    why a gate is green in the user's checkout alone

What people are shown:
    queries, states, roll         views of runs; the words for how things stand; the stories in a list
    radar                         which stories under way will not merge
    account, books, amounts       all that the history tells of a run; its money; how amounts are told
    report, report_books          a run as a document in Markdown
    export, markdown              a run as JSON; Markdown that no text can disturb
"""
