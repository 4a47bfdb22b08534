"""The pure core in packages by subject: no I/O, no clock, no randomness. A package imports only what is below it."""
