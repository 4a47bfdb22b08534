"""A repository of values for tests of the application: no git, and the rules of the ports. Its conformance suite is
that of the real one.

It knows no renames, no ignore rules and no setup command, and it has no checkout of the user that could be in the way.
Tests of these use git.
"""
