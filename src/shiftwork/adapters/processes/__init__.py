"""Starting programs so that nothing of them is left: shared by agents and gates, which do not know each other.

A program:
    spawn, supervise            what is to run; running it within bounds
    pipes, lines                its three pipes; what it prints, line by line
    confining                   starting one in a sandbox: its filter, its keyring, its sockets
    watching                    what one uses of memory, processes and disk, against its bounds
    own                         what this process has started and supervises
    guarding, guard             one process beside this one that ends its programs when it dies; that process itself

Finding and ending processes:
    host, this_host             what must be known of the processes of a machine; which way of reading it is used
    _linux, _elsewhere          by /proc; by a library, on macOS
    kin, claims                 the processes of one program; those of all that are supervised
    striking, ending            freezing and killing; until none is left, in an event loop
    reaper                      what earlier attempts have left running
    owners                      who holds a lease, and whether that process lives
"""
