// Unit with which CMake precompiles the headers that all tests include (tests/CMakeLists.txt).
