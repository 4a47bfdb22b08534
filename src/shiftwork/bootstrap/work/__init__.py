"""For commands that do work: opens and closes every port in order."""
