"""The package registries in force: those that the user, the system and the installed tools name. No registry host is
hard-coded here.

One subject a file:

  addresses            an address as a host, a port of this machine, or a folder
  registry_files       the addresses in configuration files and variables
  defaults             what installed tools use if no registry is configured
  discovery            all of it, for one repository
  credentials          the part of the user's configuration that the setup command gets
  project_registries   what the repository itself names, in force once the user has agreed to it
"""
