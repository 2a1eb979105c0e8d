#include <mass/io/hdf5.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../support/temporary_folder.hpp"

using mass::testing::TemporaryFolder;

namespace {

using testing::AllOf;
using testing::HasSubstr;
namespace hdf5 = mass::detail::hdf5;

TEST(Hdf5, AFailureCarriesTheCallAndTheInnermostReason) {
  const hdf5::Quiet quiet;
  try {
    hdf5::openFile("/nowhere/at/all");
    ADD_FAILURE();
  } catch (const hdf5::Failure& failure) {
    EXPECT_THAT(failure.what(), AllOf(HasSubstr("H5Fopen: "), HasSubstr("No such file")));
  }
}

TEST(Hdf5, AnIdClosesOnceWhereverItMoves) {
  hdf5::Id first = hdf5::dataType(mass::detail::ElementType::opaque, 3);
  const hid_t raw = first;
  hdf5::Id second = std::move(first);
  EXPECT_EQ(H5Iis_valid(raw), 1);
  first = std::move(second);
  EXPECT_EQ(H5Iis_valid(raw), 1);
  first.reset();
  EXPECT_EQ(H5Iis_valid(raw), 0);
}

TEST(Hdf5, ReadsBackWhatItWrote) {
  const TemporaryFolder folder;
  {
    hdf5::NewFile file(folder / "a", folder / "a");
    hdf5::writeAttribute(file, "text", std::string("naïve"));
    hdf5::writeAttribute(file, "empty", std::string());
    hdf5::writeAttribute(file, "number", 2.5);
    const hdf5::Id group = hdf5::createGroup(file, "group");
    hdf5::writeDataset(group, "z", std::string("zz"));
    hdf5::writeDataset(group, "a", std::vector<std::int64_t>{1, -2});
  }
  const hdf5::Id file = hdf5::openFile(folder / "a");
  EXPECT_EQ(hdf5::readTextAttribute(file, "text"), "naïve");
  EXPECT_EQ(hdf5::readTextAttribute(file, "empty"), "");
  double number = 0;
  hdf5::readAttribute(file, "number", H5T_NATIVE_DOUBLE, 1, &number);
  EXPECT_EQ(number, 2.5);
  EXPECT_EQ(hdf5::attributeNames(file), (std::vector<std::string>{"empty", "number", "text"}));
  const hdf5::Id group(H5Gopen2(file, "group", H5P_DEFAULT), H5Gclose, "H5Gopen2");
  EXPECT_EQ(hdf5::memberNames(group), (std::vector<std::string>{"z", "a"}));
  std::vector<std::int64_t> values(2);
  hdf5::readDataset(group, "a", H5T_NATIVE_INT64, 2, values.data());
  EXPECT_EQ(values, (std::vector<std::int64_t>{1, -2}));

  const hdf5::Quiet quiet;
  EXPECT_THROW(hdf5::readDataset(group, "a", H5T_NATIVE_INT64, 3, values.data()), hdf5::Failure);
  EXPECT_THROW(hdf5::readTextDataset(group, "a"), hdf5::Failure);
  EXPECT_THROW(hdf5::readTextAttribute(file, "nothing"), hdf5::Failure);
}

TEST(Hdf5, SaysWhyAFileCannotBeCreated) {
  try {
    hdf5::NewFile("/nowhere/a.partial", "/nowhere/a");
    ADD_FAILURE();
  } catch (const mass::OutputError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'/nowhere/a'"), HasSubstr("No such file")));
  }
}

}  // namespace
