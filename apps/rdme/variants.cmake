# Storage formats of sites (lattice/sites.cpp.in), in the order of their size: bits of a species code, words of 32 bits.
# unit: sites_<bits>bit_<particles that a site stores>. createLattice (lattice/lattice.cpp) takes the first that fits.
set(columns unit bits words)
set(variants
    "sites_4bit_32   4  4"
    "sites_8bit_32   8  8"
    "sites_4bit_256  4 32"
    "sites_8bit_256  8 64")
