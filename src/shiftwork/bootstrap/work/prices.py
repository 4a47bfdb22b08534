"""The prices of models, for front ends that check before a run whether prices are known."""

from shiftwork.adapters.prices import price

__all__ = ["price"]
