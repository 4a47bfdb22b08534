"""What agents are told and what is understood of their answers: values in, values out.

What an agent is told:
    context                      which parts a prompt has, and in which order
    sections, own, remembered    the parts: the usual ones; those of the user's workflow; those from memory
    proof                        what must be shown before the story lands
    notebook                     what a run remembers, as pages and for prompts
    templates, render, limits    the packaged texts; how they are filled; how long a part may be

What is understood of its answer:
    contract, result             what it says; what that comes to for its step
    signals, items               the lines that mean something; lists
    stories, edits               a plan in it; a request to change the steps
    fields, problem              values out of JSON; what is wrong with them
"""
