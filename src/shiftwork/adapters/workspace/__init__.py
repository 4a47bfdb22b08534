"""Private working trees, landing and gates, all by the git command line. The modules, by what they are about:

The ports, one a file:
    trees, gates, canary                      Workspaces; Gates; Canary
    landing, protecting                       Repository; Protecting
    stamps                                    which files of a commit were written while a gate ran
    patches                                   what was left out of a run's stories
    keyed                                     files with the runner settings of another version
    witness, changes, radar                   Witness; Changes; Radar
    remains                                   Remains

Git:
    git, calling                              running it; running any short program
    git_directory, drivers                    what a git directory is made of; programs that its settings name
    hub, objects                              the bare repository between the user's and agents'; commits without git
    differing, carrying                       in which files two commits differ; a patch on another base

A tree that an agent works in:
    checkout, undo                            reading it from outside; putting it back, what is lost kept first
    agent_repository                          the disposable repository in it
    setup, includes                           what a fresh tree needs beyond its commit
    leased                                    numbers for its ports and names, which no other tree has at the time
    environments, environment_files           what the setup command installs, once for many trees; its files
    files, large_files                        files that may be in any state, and of any size

The trees that gates run in:
    bench, pristine                           using one again; what may lie there beside its commit
    shell, verifying, verdicts                running gates; verification steps; what was green before
    trials                                    a gate with what only the user's checkout has

The user's own repository:
    user_trees, cut_off, locks                moving a checkout; where a git was killed while it did; its locks
    fitness                                   what work cannot start from
"""
