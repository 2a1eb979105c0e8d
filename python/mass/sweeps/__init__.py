"""Sweeps over settings and seeds; `sweep` is the interface."""

from .execution import Sweep, sweep

__all__ = ["Sweep", "sweep"]
