# Sites of the clock of events (lattice/event_sites.cpp.in), in the order of their size: largest number of species.
# createLattice (lattice/lattice.cpp) takes the first that fits.
set(columns unit species)
set(variants
    "event_sites_8   8"
    "event_sites_32 32")
