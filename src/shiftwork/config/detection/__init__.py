"""Finds the checks that a project already has and how its environment is made, so that a first run needs no settings.

Nothing is executed: files are read, folders are listed, and programs are looked up on the PATH. A file that cannot be
read counts as none, because a guess must never keep anybody from working. The modules, by what they are about:

What all of them share:
    found                       the gates and the setup command that were found
    folder                      a folder of the project, read leniently
    requirements                names of packages in requirements as Python writes them

The whole project:
    project                     every family at the root and in folders below it, as one list of gates and one setup
    task_files                  Makefile and justfile: the project's own words for its checks
    pre_commit                  .pre-commit-config.yaml

Python:
    python                      its gates
    python_manifests            what a project declares: pyproject.toml, setup.cfg, setup.py, requirements files
    python_setup                the command that makes `.venv`, by the tool that manages it
    python_installed            what the user's own environments hold
    python_tests                how its tests are written
    python_sessions             tox and nox

Other languages:
    node, node_workspaces       npm, pnpm, yarn and bun; their workspaces
    rust, go, jvm, ruby         cargo; go; Maven and Gradle; Bundler
    elixir, php, dotnet         mix; composer; dotnet
"""
