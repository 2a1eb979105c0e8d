# One solver per line (solver/solver.cpp.in): the lattice, the class of its cells, the type that they compute with, and the
# storage format of their state, void for that type itself. createSolver (solver/solver.cpp) selects among them.
set(columns unit lattice cell number storage)
set(variants
    "populations_3d_float   D3Q19 Fluid       float  void"
    "populations_3d_double  D3Q19 Fluid       double void"
    "populations_3d_half    D3Q19 Fluid       float  mass::Half<0>"
    "populations_2d_float   D2Q9  Fluid       float  void"
    "populations_2d_double  D2Q9  Fluid       double void"
    "moments_2d_float       D2Q9  MomentFluid float  void"
    "moments_2d_double      D2Q9  MomentFluid double void"
    "moments_3d_float       D3Q19 MomentFluid float  void"
    "moments_3d_double      D3Q19 MomentFluid double void"
    "moments_3d_half        D3Q19 MomentFluid float  mass::Half<0>")
