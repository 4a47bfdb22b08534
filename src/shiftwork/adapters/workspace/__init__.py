"""Private working trees, landing and gates, all by the git command line: start at `trees`, `landing` and `gates`."""
