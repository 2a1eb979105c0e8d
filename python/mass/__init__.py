"""Agent-based and spatial models: the apps of MASS as objects that Python advances.

    import mass

    run = mass.open("predation", {"size": 200, "seed": 7})
    run.step(100)
    print(run.table["sheep"])
"""

from ._core import (
    CheckpointError,
    DeviceError,
    Error,
    InputError,
    ModelError,
    OutputError,
    SettingsError,
    UsageError,
)
from ._core import version as __version__
from .run import Agents, Picture, Places, Run, apps, open, schema
from .sweeps import Sweep, sweep

__all__ = [
    "Agents",
    "CheckpointError",
    "DeviceError",
    "Error",
    "InputError",
    "ModelError",
    "OutputError",
    "Picture",
    "Places",
    "Run",
    "SettingsError",
    "Sweep",
    "UsageError",
    "__version__",
    "apps",
    "open",
    "schema",
    "sweep",
]
