"""The pure core: what things are (`model`) and what follows from them (`rules`); no I/O, no clock, no chance."""
