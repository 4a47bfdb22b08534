"""What front ends show: queries over the history and its projections."""
