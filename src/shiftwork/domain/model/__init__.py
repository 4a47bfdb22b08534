"""What things are. The modules, by what they are about:

What is asked, and how it is worked on:
    spec, workflow, catalogue                  stories and criteria; steps as planned; the types of steps
    pipeline, editing                          steps at work; requests to change them

The states that facts fold to, and what is decided from them:
    run, story, queue                          of the three kinds of streams
    effects                                    what to do outside

The facts, which are all that is stored:
    facts                                      what they share, and a story's
    budget_facts, waiting_facts                a story's about money; about limits of its agents
    proof_facts, notice_facts                  the certificate; what people were told
    withdrawal_facts                           a request to land that is taken back
    run_facts, queue_facts                     a run's; a landing queue's
    codec                                      facts to JSON and back, old versions included

What states and facts are made of:
    ids                                        names, streams, keys
    gate, proof, certificate, tampering        what judges work, and what proves it
    canary                                     whether a gate notices broken sources
    fail_to_pass                               whether changed tests fail without the change
    gate_trial                                 a gate that is red in a gate tree and green in the user's checkout
    budget, usage, forecast                    what may be used, was used, is foreseen
    memory, notices, picking, waiting, hosts   notes; news for people; who plays; limits; hosts that may be called
    rung                                       how much of the machine a gate may reach
"""
