# Storage formats of sites, each compiled by itself: bits of a species code, and the number of words of 32 bits.
# unit: sites_<bits>bit_<particles that a site stores>
set(columns unit bits words)
set(variants
  "sites_4bit_32   4  4"
  "sites_8bit_32   8  8"
  "sites_4bit_256  4 32"
  "sites_8bit_256  8 64")
