#include <mass/io/frame_list.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <sstream>

namespace mass::detail {
namespace {

constexpr const char* formatName = "frames-2";
constexpr const char* formatWithoutSums = "frames-1";
constexpr int mostGroups = 8;  // in each other; hard links may form a cycle

/// Calls found(path, dataset) for every array in a group and its subgroups, in the order of
/// creation.
template <class F>
void forEachArray(hid_t group, const std::string& path, int groups, const F& found) {
  if (groups > mostGroups) throw hdf5::Failure("the group '{}' is too deep for a frame", path);
  for (const std::string& member : hdf5::memberNames(group)) {
    H5L_info_t link{};
    hdf5::checked(H5Lget_info(group, member.c_str(), &link, H5P_DEFAULT), "H5Lget_info");
    if (link.type != H5L_TYPE_HARD)
      throw hdf5::Failure("'{}' is a link, which no frame has", path + member);
    const hdf5::Id object(H5Oopen(group, member.c_str(), H5P_DEFAULT), H5Oclose, "H5Oopen");
    if (H5Iget_type(object) == H5I_GROUP) {
      forEachArray(object, path + member + '/', groups + 1, found);
    } else if (H5Aexists(object, "type") > 0) {
      found(path + member, object);
    }
  }
}

/// Reads the words of a text.
class Words {
 public:
  explicit Words(const std::string& text) : stream_(text) {}

  /// @throws Failure if there is no further value of that type
  template <class T>
  T next() {
    T value{};
    if (!(stream_ >> value)) throw hdf5::Failure("the list of frames is malformed");
    return value;
  }
  /// Returns the next word; empty at the end.
  std::string word() {
    std::string word;
    stream_ >> word;
    return word;
  }
  /// Returns a text of `bytes` bytes after one blank.
  std::string raw(std::size_t bytes) {
    std::string text;
    if (bytes <= static_cast<std::size_t>(stream_.str().size())) text.resize(bytes);
    stream_.get();
    if (text.size() != bytes || !stream_.read(text.data(), static_cast<std::streamsize>(bytes)))
      throw hdf5::Failure("the list of frames is malformed");
    return text;
  }

 private:
  std::istringstream stream_;
};

FrameColumn parseColumn(Words& words) {
  const std::string name = words.next<std::string>();
  const auto type = elementTypeNamed(name);
  const auto rank = words.next<int>();
  if (!type || rank < 1 || rank > H5S_MAX_RANK)
    throw hdf5::Failure("the list of frames has an array of {} axes of '{}'", rank, name);
  FrameColumn column{{}, *type, {}};
  for (int axis = 0; axis < rank; ++axis) column.shape.push_back(words.next<hsize_t>());
  column.path = words.raw(words.next<std::size_t>());
  return column;
}

Frame parseFrame(Words& words, std::size_t columns, bool hasSum) {
  Frame frame{words.next<std::int64_t>(), words.next<double>()};
  if (hasSum) frame.sum = {words.next<std::uint64_t>(), words.next<std::uint64_t>()};
  for (std::size_t i = 0; i < columns; ++i) frame.lengths.push_back(words.next<hsize_t>());
  return frame;
}

}  // namespace

bool FrameList::contains(std::int64_t step) const {
  return std::any_of(frames.begin(), frames.end(),
                     [step](const Frame& frame) { return frame.step == step; });
}

std::string FrameList::text() const {
  std::string text = fmt::format("{}\n", formatName);
  for (const FrameColumn& column : columns) {
    text += fmt::format("array {} {} {} {} {}\n", nameOf(column.type), column.shape.size(),
                        fmt::join(column.shape, " "), column.path.size(), column.path);
  }
  for (const Frame& frame : frames) {
    text += fmt::format("frame {} {} {} {} {}\n", frame.step, frame.time, frame.sum.bytes,
                        frame.sum.checksum, fmt::join(frame.lengths, " "));
  }
  return text;
}

FrameList FrameList::parse(const std::string& text) {
  Words words(text);
  const std::string format = words.word();
  if (format != formatName && format != formatWithoutSums)
    throw hdf5::Failure("the list of frames has another format");
  FrameList list;
  for (std::string word = words.word(); !word.empty(); word = words.word()) {
    if (word == "array" && list.frames.empty()) {
      list.columns.push_back(parseColumn(words));
    } else if (word == "frame") {
      list.frames.push_back(parseFrame(words, list.columns.size(), format == formatName));
    } else {
      throw hdf5::Failure("the list of frames has the line '{}'", word);
    }
  }
  return list;
}

FrameList readFrame(const std::filesystem::path& path, std::int64_t step, bool areLists) {
  const hdf5::Quiet quiet;
  const hdf5::Id file = hdf5::openFile(path);
  FrameList list{{}, {Frame{step}}};
  Frame& frame = list.frames.front();
  hdf5::readAttribute(file, "time", H5T_NATIVE_DOUBLE, 1, &frame.time);
  forEachArray(file, {}, 0, [&](const std::string& name, hid_t set) {
    const auto type = elementTypeNamed(hdf5::readTextAttribute(set, "type"));
    if (!type) throw hdf5::Failure("array '{}' has an unknown type", name);
    FrameColumn& column = list.columns.emplace_back(FrameColumn{name, *type, hdf5::shapeOf(set)});
    frame.lengths.push_back(column.shape.at(0));
    if (areLists) column.shape.front() = 0;
  });
  return list;
}

}  // namespace mass::detail
