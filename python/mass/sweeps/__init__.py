"""Sweeps over settings and seeds; `sweep` is the interface."""

from .sweep import Sweep, sweep

__all__ = ["Sweep", "sweep"]
