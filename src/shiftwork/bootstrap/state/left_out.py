"""Gives front ends the patches with changes that were left out of a run's stories."""

from shiftwork.adapters.workspace.hub.left_out_patches import patch_of_run

__all__ = ["patch_of_run"]
