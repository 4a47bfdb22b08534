"""All faults in the order of the list of pains. Importing a module declares its faults."""

from tests.faults import asking, believing, ending, matrix, money, together

FAULTS = sorted(matrix.FAULTS, key=lambda fault: fault.row)

__all__ = ["FAULTS", "asking", "believing", "ending", "money", "together"]
