"""The prices of models, for front ends that must know before a run whether there are any."""

from shiftwork.adapters.prices import price

__all__ = ["price"]
