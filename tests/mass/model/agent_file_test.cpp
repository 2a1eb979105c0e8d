#include <mass/model/agent_file.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <mass/io/agent_table.hpp>
#include <mass/io/hdf5.hpp>
#include <mass/model/agent_output.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace {

using mass::testing::contains;
using mass::testing::makeMass;
using mass::testing::messageOf;
using mass::testing::TemporaryFolder;
using mass::testing::writeBytes;

template <int D>
class Field : public mass::Place<D> {
 public:
  using Attributes = mass::Attributes<>;
};

enum class Kind : std::uint8_t { worker, queen };

/// Attribute type that files cannot contain.
struct Pair {
  int a = 0, b = 0;
};

template <int D>
class Ant : public mass::Agent<Field<D>> {
 public:
  static constexpr std::int64_t capacity = 2;
  static constexpr int offspring = 1;
  std::int16_t age = 7;
  float position[2] = {0.5F, 0.25F};
  Kind kind = Kind::worker;
  bool isFed = true;
  Pair pair;
  using Attributes =
      mass::Attributes<&Ant::age, &Ant::position, &Ant::kind, &Ant::isFed, &Ant::pair>;

  MASS_FN void breed(mass::Intent<Ant>& intent) { intent.spawn(Ant{}); }
};

/// Agent with an attribute of each kind.
class Cow : public mass::Agent<Field<2>> {
 public:
  std::int32_t age = 7;
  float weight = 1;
  double energy = 2;
  bool alive = true;
  std::int8_t small = 0;
  std::uint8_t group = 0;
  float position[2] = {0, 0};
  using Attributes = mass::Attributes<&Cow::age, &Cow::weight, &Cow::energy, &Cow::alive,
                                      &Cow::small, &Cow::group, &Cow::position>;
};

/// Agent with an attribute of the name that tables give to the step.
class Walker : public mass::Agent<Field<2>> {
 public:
  std::int32_t step = 0;
  using Attributes = mass::Attributes<&Walker::step>;
};

class AgentFiles : public ::testing::Test {
 protected:
  template <int D>
  mass::Agents<Ant<D>> load(mass::Mass& mass, const mass::Shape<D>& shape,
                            const std::string& contents) {
    writeBytes(folder / "ants.csv", contents);
    const auto field = mass.createPlaces<Field<D>>(shape);
    return mass.loadAgents<Ant<D>>(field, folder / "ants.csv", "ants");
  }
  /// Returns the message about a file of agents on 10 x 5 places.
  std::string complaint(const std::string& contents) {
    auto mass = makeMass(2);
    const std::string message = messageOf<mass::InputError>([&] {
      load<2>(mass, {10, 5}, contents);
    });
    const std::string file = (folder / "ants.csv").string();
    EXPECT_EQ(message.substr(0, file.size()), file);
    return message.substr(std::min(file.size(), message.size()));
  }

  TemporaryFolder folder;
};

TEST_F(AgentFiles, SayWhereAgentsAreAndWhatTheyHave) {
  auto mass = makeMass(3);
  const auto ants = load<2>(mass, {10, 5},
                            "column,row,age,kind,position.1,isFed\n"
                            "4,9,-3,1,8.5,false\n"
                            "0,0,12,0,1e3,1\n"
                            "4,9,5,1,-2,0\n");
  EXPECT_EQ(ants.ids(), (std::vector<std::uint64_t>{1, 0, 2}));
  EXPECT_EQ(ants.coordinates(), (std::vector<mass::Coordinates<2>>{{0, 0}, {9, 4}, {9, 4}}));
  EXPECT_EQ(ants.download<&Ant<2>::age>(), (std::vector<std::int16_t>{12, -3, 5}));
  EXPECT_EQ(ants.download<&Ant<2>::kind>(),
            (std::vector<Kind>{Kind::worker, Kind::queen, Kind::queen}));
  EXPECT_EQ(ants.download<&Ant<2>::position>(),
            (std::vector<std::array<float, 2>>{{0.5F, 1000}, {0.5F, 8.5F}, {0.5F, -2}}));
  EXPECT_EQ(ants.download<&Ant<2>::isFed>(), (std::vector<bool>{true, false, false}));
}

TEST_F(AgentFiles, AreTheSameOnEveryNumberOfDevices) {
  std::string contents = "row,column,id,age\n";
  for (int i = 0; i < 70; ++i) {
    contents += fmt::format("{},{},{},{}\n", i * 7 % 10, i * 3 % 7, 1000 - i, i);
  }
  std::uint64_t expected = 0;
  for (const int devices : {1, 2, 3, 5}) {
    if (!mass::testing::haveDevices(devices)) continue;
    auto mass = makeMass(devices);
    const auto ants = load<2>(mass, {10, 7}, contents);
    if (devices == 1) expected = ants.hash();
    EXPECT_EQ(ants.hash(), expected) << devices;
  }
}

TEST_F(AgentFiles, OfWorldsWithOneAndThreeAxes) {
  auto mass = makeMass(2);
  EXPECT_EQ(load<1>(mass, {8}, "row\n5\n0\n").coordinates(),
            (std::vector<mass::Coordinates<1>>{{0}, {5}}));
  auto other = makeMass(2);
  EXPECT_EQ(load<3>(other, {2, 3, 4}, "line,row,column\n2,1,3\n1,0,2\n").coordinates(),
            (std::vector<mass::Coordinates<3>>{{0, 1, 2}, {1, 2, 3}}));
}

TEST_F(AgentFiles, MayHaveNoAgents) {
  auto mass = makeMass(3);
  const auto ants = load<2>(mass, {10, 5}, "row,column\n");
  EXPECT_EQ(ants.size(), 0);
  ants.manageAll();
}

TEST_F(AgentFiles, IdentitiesOfChildrenAreHigherThanThoseOfTheFile) {
  auto mass = makeMass(2);
  const auto ants = load<2>(mass, {10, 5}, "row,column,id\n3,3,41\n8,1,5\n");
  ants.callAll<&Ant<2>::breed>();
  ants.manageAll();
  EXPECT_EQ(ants.ids(), (std::vector<std::uint64_t>{41, 42, 5, 43}));
}

TEST_F(AgentFiles, WithColumnsThatAgentsDoNotHave) {
  EXPECT_EQ(complaint("row,column,agee\n"),
            ":1: agents 'ants' have no column 'agee'; did you mean 'age'?; the columns are id, "
            "row, column, "
            "age, position.0, position.1, kind, isFed");
  EXPECT_TRUE(contains(complaint("row,column,position\n"), "no column 'position'"));
  EXPECT_TRUE(contains(complaint("row,column,pair\n"), "no column 'pair'"));
  EXPECT_TRUE(contains(complaint("row,line,column\n"), "no column 'line'"));
  EXPECT_EQ(complaint("row,age\n1,1\n"),
            ":1: the column 'column', a coordinate of the agents, is missing");
  EXPECT_EQ(complaint("row,column,row\n"), ":1: there are two columns 'row'");
}

TEST_F(AgentFiles, WithPlacesOutsideTheWorld) {
  EXPECT_EQ(complaint("row,column\n1,1\n10,1\n"), ":3: 'row' = 10: it must be from 0 to 9");
  EXPECT_EQ(complaint("row,column\n\n1,-1\n"), ":3: 'column' = -1: it must be from 0 to 4");
}

TEST_F(AgentFiles, WithAnIdentityTwice) {
  EXPECT_EQ(complaint("row,column,id\n1,1,4\n2,2,5\n3,3,4\n"),
            ":4: 'id' = 4: line 2 has the same identity");
  EXPECT_EQ(complaint("row,column,id\n1,1,-4\n"), ":2: 'id' = -4: it must be 0 or more");
  EXPECT_TRUE(contains(complaint("row,column,id\n1,1,9223372036854775808\n"), "not an integer"));
}

TEST_F(AgentFiles, WithIdentitiesThatRandomNumbersDoNotTellApart) {
  EXPECT_EQ(complaint("row,column,id\n1,1,0\n1,1,1099511627776\n"),
            ":3: 'id' = 1099511627776: it must be less than 2^40 = 1099511627776");
  auto mass = makeMass(2);
  const auto ants = load<2>(mass, {10, 5}, "row,column,id\n1,1,1099511627775\n");
  EXPECT_EQ(ants.ids(), (std::vector<std::uint64_t>{1099511627775}));
  ants.manageAll();
  ants.callAll<&Ant<2>::breed>();
  const auto message = messageOf<mass::UsageError>([&] { ants.manageAll(); });
  EXPECT_TRUE(contains(message, "got identities of 2^40"));
}

TEST_F(AgentFiles, WithMoreAgentsThanAPlaceHolds) {
  EXPECT_EQ(complaint("row,column\n1,1\n1,2\n1,1\n2,1\n1,1\n1,2\n"),
            ":6: the place is full: its capacity is 2 of the agents 'ants'");
}

TEST_F(AgentFiles, WithWhatIsNoNumber) {
  EXPECT_EQ(complaint("row,column,age\n1,1,40000\n"),
            ":2: 'age' = '40000' is not an integer from -32768 to 32767");
  EXPECT_TRUE(contains(complaint("row,column\n1,1\n1,one\n"), ":3: 'column' = 'one' is not"));
  EXPECT_EQ(complaint("row,column\n1\n"), ":2: cells: 1, columns: 2; each column needs a cell");
}

/// Fixture for files as other programs write them, and for tables of agents.
class Cows : public AgentFiles {
 protected:
  explicit Cows(const std::vector<std::string>& settings = {})
      : mass_(makeMass(1, 0, {}, settings)), field_(mass_.createPlaces<Field<2>>({50, 50})) {}

  mass::Agents<Cow> loadCows(const std::string& contents, mass::Mass::LoadOptions options = {}) {
    writeBytes(folder / "cows.csv", contents);
    return load(folder / "cows.csv", std::move(options));
  }
  mass::Agents<Cow> load(const std::filesystem::path& file, mass::Mass::LoadOptions options = {}) {
    if (options.name.empty()) options.name = "cows" + std::to_string(++loaded_);
    return mass_.loadAgents<Cow>(field_, file, options);
  }
  std::vector<std::int32_t> agesOf(const std::string& contents,
                                   mass::Mass::LoadOptions options = {}) {
    return loadCows(contents, std::move(options)).download<&Cow::age>();
  }
  std::string refusalOf(const std::filesystem::path& file, mass::Mass::LoadOptions options = {}) {
    return messageOf<mass::InputError>([&] { load(file, options); });
  }
  /// Writes a table of all attributes, as run.agentTable does. In the n-th of the steps there are
  /// the first n agents of `cows`. An HDF5 table is flushed after every second step.
  void writeTable(const std::filesystem::path& file, const std::vector<std::int64_t>& steps,
                  const mass::Agents<Cow>& cows) {
    const std::vector<std::size_t> all{0, 1, 2, 3, 4, 5, 6};
    const auto table =
        mass::detail::AgentTable::open(file, mass::detail::agentColumns(cows.population(), all));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      std::vector<unsigned char> first(static_cast<std::size_t>(cows.size()));
      std::fill_n(first.begin(), std::min(i + 1, first.size()), 1);
      const auto frame = mass::detail::agentRows(cows.population(), all, first);
      table->add(steps[i], frame.rows, frame.arrays);
      if (i % 2 == 1) table->flush();
    }
    table->finish();
  }
  mass::Agents<Cow> threeCows() {
    return loadCows(
        "row,column,id,age,weight,energy,alive,small,group,position.0,position.1\n"
        "1,2,4,-3,0.1,1e-300,1,-128,255,0.25,2.5\n"
        "1,2,9,40,-1e-40,0.1,0,127,0,-0.0,1e38\n"
        "49,49,0,2147483647,3,4,1,5,6,7,8\n");
  }

 private:
  mass::Mass mass_;
  mass::Places<Field<2>> field_;
  int loaded_ = 0;
};

TEST_F(Cows, WithTruthValuesOfPandas) {
  EXPECT_EQ(loadCows("row,column,alive\n1,2,True\n3,4,False\n").download<&Cow::alive>(),
            (std::vector<bool>{true, false}));
}

TEST_F(Cows, BetweenSemicolons) {
  EXPECT_EQ(agesOf("row;column;age\n1;2;3\n"), std::vector<std::int32_t>{3});
  EXPECT_EQ(loadCows("sep=;\nrow;column;weight\n1;2;3,5\n").download<&Cow::weight>(),
            std::vector<float>{3.5F});
}

TEST_F(Cows, WithNumbersNearerToZeroThanTheType) {
  EXPECT_EQ(loadCows("row,column,weight\n1,2,5.5e-48\n").download<&Cow::weight>(),
            std::vector<float>{0});
}

TEST_F(Cows, WithColumnsThatHaveNoName) {
  EXPECT_EQ(agesOf(",row,column,age\n0,1,2,3\n1,4,5,6\n"), (std::vector<std::int32_t>{3, 6}));
  EXPECT_EQ(agesOf("row,column,age,\n1,2,3,\n"), std::vector<std::int32_t>{3});
}

TEST_F(Cows, WithWholeNumbersAsFloats) {
  EXPECT_EQ(agesOf("row,column,age\n1.0,2.0,3.0\n"), std::vector<std::int32_t>{3});
}

TEST_F(Cows, WithColumnsBetweenBlanks) {
  EXPECT_EQ(agesOf("row column age\n1 2 3\n"), std::vector<std::int32_t>{3});
  EXPECT_EQ(agesOf("\"row\" \"column\" \"age\"\n\"1\" 1 2 3\n\"2\" 4 5 6\n"),
            (std::vector<std::int32_t>{3, 6}));
  EXPECT_TRUE(contains(complaint("row,column,age;weight\n"),
                       "no column 'age;weight'; separate columns by commas, semicolons or tabs"));
  EXPECT_TRUE(contains(complaint("row,column,the age\n"), "no column 'the age'; the columns are"));
}

TEST_F(Cows, WithDecimalCommas) {
  EXPECT_EQ(loadCows("row;column;weight\n1;2;1000,5\n3;4;0,25\n").download<&Cow::weight>(),
            (std::vector<float>{1000.5F, 0.25F}));
  const auto refusal = [&](const std::string& contents) {
    return messageOf<mass::InputError>([&] { loadCows(contents); });
  };
  EXPECT_TRUE(contains(refusal("row;column;weight\n1;2;3\n1;3;1.000\n1;4;2.000\n"),
                       "cows.csv:3: 'weight' = '1.000' has a decimal point or a separator of "
                       "thousands, and no other number of the file shows which"));
  EXPECT_TRUE(contains(refusal("row;column;weight\n1;2;1.000,5\n"),
                       "cows.csv:2: 'weight' = '1.000,5' has a separator of thousands: write the "
                       "number without it"));
}

TEST_F(Cows, WithValuesThatAreNotFinite) {
  const auto refusal = [&](const std::string& column, const std::string& value) {
    return messageOf<mass::InputError>(
        [&] { loadCows(fmt::format("row,column,{}\n1,2,1\n2,3,{}\n", column, value)); });
  };
  const std::string remedy =
      ": attributes must be finite numbers; write a number, leave out the row, or set "
      "output.allow_nan to true if such values are meant";
  for (const auto& column : {"weight", "energy", "position.1"}) {
    const auto start = fmt::format("cows.csv:3: '{}' is ", column);
    EXPECT_TRUE(contains(refusal(column, "NaN"), start + "nan" + remedy));
    EXPECT_TRUE(contains(refusal(column, "nan"), start + "nan" + remedy));
    EXPECT_TRUE(contains(refusal(column, "Inf"), start + "inf" + remedy));
    EXPECT_TRUE(contains(refusal(column, "-inf"), start + "-inf" + remedy));
    for (const std::string missing : {"", "NA", "N/A", "null", "None"}) {
      EXPECT_TRUE(contains(refusal(column, missing),
                           fmt::format("cows.csv:3: '{}' = '{}' is a missing value: write a value, "
                                       "or leave out the row",
                                       column, missing)));
    }
    EXPECT_TRUE(
        contains(refusal(column, "#N/A"),
                 fmt::format("cows.csv:3: '{}' = '#N/A' is an error of a spreadsheet", column)));
  }
  for (const auto& column : {"age", "alive", "id"})
    EXPECT_TRUE(contains(refusal(column, "NaN"), "= 'NaN' is a missing value"));
}

/// Fixture for files whose values may be NaN.
class CowsOfAnyValue : public Cows {
 protected:
  CowsOfAnyValue() : Cows({"output.allow_nan=true"}) {}
};

TEST_F(CowsOfAnyValue, FromTablesOfBothFormats) {
  const auto cows = loadCows("row,column,id,weight,energy\n1,2,4,nan,-inf\n3,4,5,Inf,NaN\n");
  const auto weights = cows.download<&Cow::weight>();
  EXPECT_TRUE(std::isnan(weights[0]));
  EXPECT_EQ(weights[1], std::numeric_limits<float>::infinity());
  for (const std::string name : {"t.csv", "t.h5"}) {
    writeTable(folder / name, {0, 5}, cows);
    EXPECT_EQ(load(folder / name).hash(), cows.hash()) << name;
  }
}

TEST_F(Cows, OfTheLastStepOfATable) {
  const std::string table = "step,id,row,column,age\n0,0,1,2,3\n10,0,1,3,13\n10,4,7,7,2\n";
  const auto cows = loadCows(table);
  EXPECT_EQ(cows.ids(), (std::vector<std::uint64_t>{0, 4}));
  EXPECT_EQ(cows.coordinates(), (std::vector<mass::Coordinates<2>>{{1, 3}, {7, 7}}));
  EXPECT_EQ(cows.download<&Cow::age>(), (std::vector<std::int32_t>{13, 2}));
  EXPECT_EQ(agesOf("age,column,row,step\n5,1,1,20.0\n6,1,1,3\n7,2,2,20\n"),
            (std::vector<std::int32_t>{5, 7}));
  EXPECT_TRUE(agesOf("step,id,row,column,age\n").empty());
}

TEST_F(Cows, OfTheStepThatIsNamed) {
  const std::string table = "step,id,row,column,age\n0,0,1,2,3\n10,0,1,3,13\n20,4,7,7,2\n";
  EXPECT_EQ(agesOf(table, {.step = 0}), std::vector<std::int32_t>{3});
  EXPECT_EQ(agesOf(table, {.step = 10, .name = "ten"}), std::vector<std::int32_t>{13});
  const auto refusal = [&](const std::string& contents) {
    return messageOf<mass::InputError>([&] { agesOf(contents, {.step = 14}); });
  };
  EXPECT_TRUE(
      contains(refusal(table), "cows.csv:4: no row has the step 14; the nearest step is 10"));
  EXPECT_TRUE(contains(refusal("step,row,column\n"), "no row has the step 14"));
  EXPECT_TRUE(contains(refusal("row,column\n1,1\n"),
                       "cows.csv:1: there is no column 'step': leave out the step, 14"));
}

TEST_F(Cows, WithAnAttributeNamedStep) {
  auto mass = makeMass(1);
  writeBytes(folder / "walkers.csv", "step,row,column\n5,1,1\n3,2,2\n");
  const auto walkers =
      mass.loadAgents<Walker>(mass.createPlaces<Field<2>>({5, 5}), folder / "walkers.csv");
  EXPECT_EQ(walkers.download<&Walker::step>(), (std::vector<std::int32_t>{5, 3}));
}

TEST_F(Cows, FromTablesOfBothFormats) {
  const auto cows = threeCows();
  for (const std::string name : {"t.csv", "t.h5", "100%.h5"}) {
    writeTable(folder / name, {0, 5, 10, 15, 20}, cows);
    EXPECT_EQ(load(folder / name).hash(), cows.hash()) << name;
    EXPECT_EQ(load(folder / name, {.step = 10}).hash(), cows.hash()) << name;
    EXPECT_EQ(load(folder / name, {.step = 5}).ids(), (std::vector<std::uint64_t>{4, 9})) << name;
    EXPECT_EQ(load(folder / name, {.step = 0}).ids(), std::vector<std::uint64_t>{4}) << name;
    EXPECT_TRUE(contains(refusalOf(folder / name, {.step = 12}),
                         "no row has the step 12; the nearest step is "))
        << name;
    EXPECT_TRUE(contains(refusalOf(folder / name, {.step = 99}),
                         "no row has the step 99; the nearest step is 20"));
  }
}

TEST_F(Cows, FromAFileOfAnHdf5Table) {
  const auto cows = threeCows();
  writeTable(folder / "t.h5", {0, 5, 10}, cows);
  EXPECT_EQ(load(folder / "t" / "000000000005.h5").ids(), (std::vector<std::uint64_t>{4, 9}));
}

TEST_F(Cows, FromAnHdf5TableWithoutAgents) {
  const auto none = loadCows("row,column\n");
  writeTable(folder / "t.h5", {0, 5}, none);
  EXPECT_EQ(load(folder / "t.h5").size(), 0);
}

TEST_F(Cows, FromHdf5ThatIsNoWholeTable) {
  const auto cows = threeCows();
  writeTable(folder / "t.h5", {0, 5, 10, 15}, cows);
  std::filesystem::rename(folder / "t.h5", folder / "moved.h5");
  EXPECT_TRUE(contains(refusalOf(folder / "moved.h5"),
                       "its rows are in 'moved/000000000005.h5', which is missing; move the file "
                       "and the folder 'moved' together"));
  const auto frame = folder / "t" / "000000000015.h5";
  std::filesystem::resize_file(frame, std::filesystem::file_size(frame) / 2);
  EXPECT_TRUE(contains(refusalOf(frame), "cannot read the table of agents '" + frame.string()));
  writeBytes(folder / "x.h5", "\x89HDF\r\n\x1A\nand no more");
  EXPECT_TRUE(contains(refusalOf(folder / "x.h5"), "cannot read the table of agents"));
}

TEST_F(Cows, FromAnHdf5TableOfOtherTypes) {
  const std::vector<mass::detail::FieldArray> columns{{"row", mass::detail::ElementType::float64},
                                                      {"column", mass::detail::ElementType::uint8},
                                                      {"age", mass::detail::ElementType::float32},
                                                      {"small", mass::detail::ElementType::int64}};
  const auto write = [&](double row, float age, std::int64_t small) {
    std::filesystem::remove_all(folder / "o");
    const auto table = mass::detail::AgentTable::open(folder / "o.h5", columns);
    const std::uint8_t column = 2;
    auto filled = columns;
    filled[0].data = &row;
    filled[1].data = &column;
    filled[2].data = &age;
    filled[3].data = &small;
    table->add(3, 1, filled);
    table->finish();
  };
  write(1, 5, -7);
  const auto cows = load(folder / "o.h5");
  EXPECT_EQ(cows.coordinates(), (std::vector<mass::Coordinates<2>>{{1, 2}}));
  EXPECT_EQ(cows.download<&Cow::age>(), std::vector<std::int32_t>{5});
  EXPECT_EQ(cows.download<&Cow::small>(), std::vector<std::int8_t>{-7});
  write(1, 5, 300);
  EXPECT_TRUE(contains(refusalOf(folder / "o.h5"),
                       "row 0: 'small' = 300 is not an integer from -128 to 127"));
  write(1, 5.5F, 3);
  EXPECT_TRUE(contains(refusalOf(folder / "o.h5"), "row 0: 'age' = 5.5 is not an integer"));
  write(50, 5, 3);
  EXPECT_TRUE(contains(refusalOf(folder / "o.h5"), "row 0: 'row' = 50: it must be from 0 to 49"));
}

/// File of another program: its groups do not record the order of their members.
class OtherHdf5 {
 public:
  explicit OtherHdf5(const std::filesystem::path& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose,
              "H5Fcreate") {}

  operator hid_t() const { return file_; }
  /// Writes a compressed list. @param stored type in the file
  template <class T>
  void list(const std::string& name, hid_t stored, hid_t memory, const std::vector<T>& values) {
    const std::array<hsize_t, 1> shape{values.size()};
    const Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "H5Pcreate");
    H5Pset_chunk(creation, 1, shape.data());
    H5Pset_deflate(creation, 6);
    const Id set = mass::detail::hdf5::createDataset(
        file_, name, stored, mass::detail::hdf5::dataSpace(shape), creation);
    H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
  void steps(const std::vector<int>& values) {
    list("step", H5T_STD_I32BE, H5T_NATIVE_INT, values);
  }
  void integers(const std::string& name, const std::vector<int>& values) {
    list(name, H5T_STD_I16LE, H5T_NATIVE_INT, values);
  }

 private:
  using Id = mass::detail::hdf5::Id;
  Id file_;
};

/// Returns the type of truth values of h5py.
mass::detail::hdf5::Id truthType() {
  mass::detail::hdf5::Id type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose, "H5Tenum_create");
  for (const std::int8_t value : {std::int8_t{0}, std::int8_t{1}})
    H5Tenum_insert(type, value == 0 ? "FALSE" : "TRUE", &value);
  return type;
}

TEST_F(Cows, FromAnHdf5FileOfAnotherProgram) {
  {
    OtherHdf5 file(folder / "o.h5");
    file.steps({10, 0, 10, 5});
    file.integers("row", {1, 2, 3, 4});
    file.integers("column", {5, 6, 7, 8});
    file.integers("age", {11, 12, 13, 14});
    file.list("weight", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, std::vector<double>{0.5, 1, 2, 3});
    const auto truth = truthType();
    file.list("alive", truth, truth, std::vector<std::int8_t>{0, 0, 1, 1});
  }
  const auto cows = load(folder / "o.h5");
  EXPECT_EQ(cows.coordinates(), (std::vector<mass::Coordinates<2>>{{1, 5}, {3, 7}}));
  EXPECT_EQ(cows.download<&Cow::age>(), (std::vector<std::int32_t>{11, 13}));
  EXPECT_EQ(cows.download<&Cow::weight>(), (std::vector<float>{0.5F, 2}));
  EXPECT_EQ(cows.download<&Cow::alive>(), (std::vector<bool>{false, true}));
  EXPECT_EQ(load(folder / "o.h5", {.step = 0}).download<&Cow::age>(),
            std::vector<std::int32_t>{12});
  EXPECT_TRUE(contains(refusalOf(folder / "o.h5", {.step = 6}),
                       "no row has the step 6; the nearest step is 5"));
  {
    OtherHdf5 file(folder / "o.h5");
    file.list("step", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, std::vector<double>{3, 4, 3});
    file.integers("row", {1, 2, 3});
    file.integers("column", {5, 6, 7});
  }
  EXPECT_EQ(load(folder / "o.h5").coordinates(), (std::vector<mass::Coordinates<2>>{{2, 6}}));
}

TEST_F(Cows, FromHdf5WithValuesThatAreNotFinite) {
  {
    OtherHdf5 file(folder / "o.h5");
    file.steps({0, 0});
    file.integers("row", {1, 2});
    file.integers("column", {5, 6});
    file.list("weight", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, std::vector<double>{1, NAN});
  }
  EXPECT_TRUE(contains(refusalOf(folder / "o.h5"), "row 1: 'weight' is nan: attributes must be"));
}

TEST_F(Cows, FromHdf5SayWhatIsNoTable) {
  const auto path = folder / "o.h5";
  const auto refusal = [&](const auto& add) {
    {
      OtherHdf5 file(path);
      file.integers("row", {1, 2});
      file.integers("column", {1, 2});
      add(file);
    }
    const std::string message = refusalOf(path);
    EXPECT_TRUE(contains(message, "cannot read the table of agents '" + path.string() + "': "));
    EXPECT_FALSE(contains(message, ": H5")) << message;
    return message;
  };
  EXPECT_TRUE(contains(refusal([](OtherHdf5&) {}), "it has no dataset 'step'"));
  EXPECT_TRUE(contains(refusal([](OtherHdf5& file) {
                         file.steps({1, 1});
                         mass::detail::hdf5::createGroup(file, "notes");
                       }),
                       "'notes' is no column of agents: it is a group"));
  EXPECT_TRUE(contains(refusal([](OtherHdf5& file) {
                         file.steps({1, 1});
                         mass::detail::hdf5::writeDataset(file, "name", std::string("x"));
                       }),
                       "'name' is no column of agents: it does not hold numbers"));
  EXPECT_TRUE(contains(refusal([](OtherHdf5& file) {
                         file.steps({1, 1, 1});
                       }),
                       "has 2 rows and 'step' has 3"));
  EXPECT_TRUE(contains(refusal([](OtherHdf5& file) {
                         file.list("step", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, std::vector{1, 1.5});
                       }),
                       "row 1: 'step' = 1.5 is not an integer"));
  writeTable(folder / "t.h5", {0}, threeCows());
  EXPECT_TRUE(contains(refusal([&](OtherHdf5& file) {
                         file.steps({1, 1});
                         H5Lcreate_external((folder / "t/000000000000.h5").c_str(), "/age", file,
                                            "age", H5P_DEFAULT, H5P_DEFAULT);
                       }),
                       "'age' is a soft or external link"));
  EXPECT_TRUE(contains(refusal([](OtherHdf5& file) {
                         H5Lcreate_soft("/row", file, "step", H5P_DEFAULT, H5P_DEFAULT);
                       }),
                       "'step' is a soft or external link"));
}

TEST_F(Cows, FromDamagedHdf5AreAMessageOrRows) {
  writeTable(folder / "t.h5", {0, 5, 10, 15}, threeCows());
  for (const auto& path : {folder / "t.h5", folder / "t" / "000000000015.h5"}) {
    const std::string whole = mass::testing::readBytes(path);
    for (std::size_t at = 0; at < whole.size(); at += whole.size() / 150) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
      writeBytes(path, damaged);
      try {
        load(folder / "t.h5");
      } catch (const mass::InputError& error) {
        EXPECT_TRUE(contains(error.what(), (folder / "t").string())) << error.what();
        EXPECT_FALSE(contains(error.what(), ": H5")) << error.what();
      }
    }
    writeBytes(path, whole);
  }
}

TEST_F(AgentFiles, ThatAreNotThere) {
  auto mass = makeMass(1);
  const auto field = mass.createPlaces<Field<2>>({4, 4});
  const auto message =
      messageOf<mass::InputError>([&] { mass.loadAgents<Ant<2>>(field, folder / "none.csv"); });
  EXPECT_TRUE(contains(message, "cannot read"));
  EXPECT_TRUE(contains(message, "none.csv"));
  // A failed load leaves the name free.
  EXPECT_EQ(mass.createAgents<Ant<2>>(field, 3).size(), 3);
}

}  // namespace
