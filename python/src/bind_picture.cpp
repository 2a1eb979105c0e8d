// Pictures of 2-D fields.

#include <python/src/bindings.hpp>

#include <mass/io/picture.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mass::python {
namespace {

/// Values of places, row by row from the top.
using Field = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Makes a picture of a quantity, or of categories if there are any.
Picture pictureOf(const Field& values, float low, float high, const std::string& palette,
                  const std::vector<std::string>& categories) {
  Picture picture{std::vector<float>(values.data(), values.data() + values.size()),
                  static_cast<std::int64_t>(values.shape(0)),
                  static_cast<std::int64_t>(values.shape(1)), low, high};
  picture.palette = palette;
  picture.categories = categories;
  return picture;
}

/// Writes a picture with its legend. @param note text at the right of the legend
void writePng(const Picture& picture, const std::filesystem::path& file, const std::string& note) {
  const auto [image, colors] = detail::drawPicture(picture, {picture.palette, true, true}, note);
  mass::writePng(file, image, colors);
}

}  // namespace

void bindPicture(nb::module_& module) {
  nb::class_<Picture>(module, "Picture")
      .def_prop_ro(
          "values",
          [](const Picture& self) {
            return toNumPy(self.values, {static_cast<std::size_t>(self.rows),
                                         static_cast<std::size_t>(self.columns)});
          },
          nb::rv_policy::automatic)
      .def_ro("low", &Picture::low)
      .def_ro("high", &Picture::high)
      .def_rw("name", &Picture::name)
      .def_ro("unit", &Picture::unit)
      .def_ro("categories", &Picture::categories)
      .def("write_png", &writePng);
  module.def("picture_of", &pictureOf);
}

}  // namespace mass::python
