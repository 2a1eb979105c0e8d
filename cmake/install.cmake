# Filled in with the export of mass::mass.
