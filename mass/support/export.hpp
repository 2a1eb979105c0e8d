#pragma once

/// Makes a class or function visible outside libmass.so, which hides all others. It marks the
/// public interface, and the part of mass::detail that templates and inline functions of the
/// headers use. GCC and clang take the same attribute in the library and in a program; there is no
/// other form for imports, since Windows is not supported.
#define MASS_EXPORT [[gnu::visibility("default")]]
