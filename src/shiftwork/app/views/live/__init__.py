"""What a process shows of the run that it works on: states folded from facts as they are recorded."""
