"""What tests of this product and of its adapters stand on: suites, builders, and a model that follows a script.

The suites, one a port, which every adapter passes:
    agent_conformance                         agents
    engine_conformance, engine_endings        engines; how their jobs end
    engine_suite                              what both of these stand on
    store_conformance, store_suite            event stores and readers of views; what all suites of the store stand on
    inbox_conformance, leases_conformance     the rest of the store
    notebook_conformance                      notebooks
    notify_conformance, specs_conformance     channels to people; formats of spec files

The rules without a world:
    builders, strategies                      ordinary plans, states and facts; any values of the model
    simulation                                decisions played against one of these worlds:
    simulated_run, simulated_story            a run's; a story's
    simulated_queue                           a landing queue's
    simulated_books, simulated_edits          what comes of claims; edits that nobody would write
    histories                                 recorded histories as files

The real things:
    git_user, postgres                        a person with a repository; a private server
    agent_programs                            the pinned agents, for pytest
    model_server                              a model that follows a script, for them
"""
