"""Views for the front ends: queries over the history and its projections."""
