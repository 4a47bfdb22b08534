"""What commands need that do work: every port, opened and closed in order."""
