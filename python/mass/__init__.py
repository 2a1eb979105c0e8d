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
    Graph,
    InputError,
    ModelError,
    OutputError,
    SettingsError,
    UsageError,
    barabasiAlbertGraph,
    erdosRenyiGraph,
    latticeGraph,
    randomGeometricGraph,
    readGraph,
    torusGraph,
    wattsStrogatzGraph,
)
from ._core import version as __version__
from .live import Live
from .model_compiler import CompileError
from .models import Mass, load
from .pictures import Picture
from .populations import Agents, Band, Places
from .run import Run, apps, open, schema
from .simulation import Simulation
from .sweeps import Sweep, sweep
from .tables import to_parquet

__all__ = [
    "Agents",
    "Band",
    "CheckpointError",
    "CompileError",
    "DeviceError",
    "Error",
    "Graph",
    "InputError",
    "Live",
    "Mass",
    "ModelError",
    "OutputError",
    "Picture",
    "Places",
    "Run",
    "SettingsError",
    "Simulation",
    "Sweep",
    "UsageError",
    "__version__",
    "apps",
    "barabasiAlbertGraph",
    "erdosRenyiGraph",
    "latticeGraph",
    "load",
    "open",
    "randomGeometricGraph",
    "readGraph",
    "schema",
    "sweep",
    "to_parquet",
    "torusGraph",
    "wattsStrogatzGraph",
]
