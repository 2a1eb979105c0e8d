# Blocks (block.cpp.in): the type of a temperature and the order of accuracy in space. setUp (setup.cpp) selects among
# them.
set(columns unit number order)
set(variants
    "float_2   float  2"
    "float_4   float  4"
    "float_6   float  6"
    "float_8   float  8"
    "double_2  double 2"
    "double_4  double 4"
    "double_6  double 6"
    "double_8  double 8")
