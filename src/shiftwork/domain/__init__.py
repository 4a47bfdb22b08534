"""The pure core in slices by subject: no I/O, no clock, no chance. A slice imports only what is below it."""
