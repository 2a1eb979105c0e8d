#pragma once

#include <apps/lbm/case/triangle_mesh.hpp>

namespace lbm {

/// Part of the surface of a body where it is thin.
struct ThinPart {
  double share = 0;      ///< fraction of the surface; 0 if the body is thin nowhere
  double thickness = 0;  ///< the least
  Point at{};            ///< a point of the surface where it is least
};

/// Finds where a body is thinner than `limit`. The thickness at a point of its surface is the
/// distance, along the inward normal, to a face on the opposite side whose normal differs by at
/// most 45 degrees. It is measured at points at most `limit` apart, at least one on each triangle;
/// of large meshes, at about a million points.
/// @pre triangles face outwards @param limit above 0
ThinPart thinPart(const TriangleMesh& mesh, double limit);

}  // namespace lbm
