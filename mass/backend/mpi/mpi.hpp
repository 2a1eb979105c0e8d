#pragma once

// Without the C++ bindings, which MPI has removed and which do not compile without warnings.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
