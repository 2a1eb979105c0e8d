"""Starts ranks by mpirun, for tests."""

import os

# Open MPI refuses root and more ranks than cores without these, and binds ranks to cores; MPICH does not read them.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}
