#pragma once

#include <apps/lbm/case/triangle_mesh.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lbm {

/// Contents of an STL file.
struct StlFile {
  TriangleMesh mesh;
  /// Unit in the last place of the largest coordinate: its spacing in single precision or, if that
  /// is coarser, that of the digits of a text.
  double precision = 0;
  std::vector<std::string> notes;  ///< clauses about bytes that were ignored
};

/// Reads an STL file, ASCII or binary, of one or several solids. Normals in the file are ignored.
/// Bytes behind the last triangle are ignored, with a note.
/// @throws InputError, with the line in a text file, if the file cannot be read, is larger than
/// 5 GB, is not STL or is truncated, or has a coordinate that is not finite or beyond the range of
/// float.
StlFile readStl(const std::filesystem::path& file);

/// @throws InputError "cannot read 'file': message", always
[[noreturn]] void refuseStl(const std::filesystem::path& file, std::string_view message);

}  // namespace lbm
