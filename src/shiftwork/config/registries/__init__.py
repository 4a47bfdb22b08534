"""The package registries in force: those that the user, the system and the installed tools name. No host of a registry
stands in this code.

One subject a file:
    addresses     an address as a host, a port of this machine, or a folder
    files         the addresses that configuration files and variables name
    defaults      what installed tools use where nobody names a registry
    finding       all of it, for one repository
    credentials   what the setup command is given of the user's configuration
    project       what the repository itself names, in force where the user has agreed to it
"""
