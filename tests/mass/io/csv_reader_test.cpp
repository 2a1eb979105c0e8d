#include <mass/io/csv_reader.hpp>

#include <mass/support/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "../../support/temporary_folder.hpp"

namespace mass {
namespace {

using testing::contains;
using testing::messageOf;
using testing::TemporaryFolder;
using testing::writeBytes;

class Csv : public ::testing::Test {
 protected:
  CsvReader reader(std::string_view contents) {
    writeBytes(folder / "a.csv", contents);
    return CsvReader(folder / "a.csv");
  }
  /// Returns the number in a file of one cell.
  template <class T>
  T number(const std::string& cell) {
    CsvReader csv = reader("x\n" + cell + "\n");
    EXPECT_TRUE(csv.next());
    std::vector<char> bytes;
    csv.read(0, detail::elementTypeOf<T>(), bytes);
    EXPECT_EQ(bytes.size(), sizeof(T));
    T value{};
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  /// Checks that a file has the columns row, column and age, and the rows 1, 2, 3 and 4, 5, 6.
  void expectTable(const std::string& contents) {
    CsvReader csv = reader(contents);
    EXPECT_EQ(csv.columns(), (std::vector<std::string>{"row", "column", "age"})) << contents;
    std::vector<double> values;
    while (csv.next()) {
      for (std::size_t column = 0; column < 3; ++column)
        values.push_back(csv.number<double>(column));
    }
    EXPECT_EQ(values, (std::vector<double>{1, 2, 3, 4, 5, 6})) << contents;
  }
  struct Refusal {
    std::string contents, message;
  };
  /// Checks the message about each of several files.
  void expectRefusals(const std::vector<Refusal>& refusals) {
    for (const auto& [contents, message] : refusals) {
      const auto refusal = messageOf<InputError>([&, &text = contents] {
        CsvReader csv = reader(text);
        while (csv.next()) {
          for (std::size_t column = 0; column < csv.columns().size(); ++column)
            (void)csv.number<double>(column);
        }
      });
      EXPECT_TRUE(contains(refusal, "a.csv" + message)) << contents << '\n' << refusal;
    }
  }
  template <class T>
  std::string complaint(const std::string& cell) {
    return messageOf<InputError>([&] { (void)number<T>(cell); });
  }

  TemporaryFolder folder;
};

TEST_F(Csv, ReadsCellsByColumn) {
  CsvReader csv = reader("row, column ,age\n1,2,3\n\n  \n4,\t5,6");
  EXPECT_EQ(csv.columns(), (std::vector<std::string>{"row", "column", "age"}));
  std::vector<char> bytes;
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.line(), 2);
  csv.read(1, detail::ElementType::int8, bytes);
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.line(), 5);
  csv.read(1, detail::ElementType::int8, bytes);
  csv.read(2, detail::ElementType::int8, bytes);
  EXPECT_EQ(bytes, (std::vector<char>{2, 5, 6}));
  EXPECT_FALSE(csv.next());
}

TEST_F(Csv, ReadsFilesOfOtherSystems) {
  CsvReader csv = reader("\xEF\xBB\xBFrow,column\r\n1,2\r\n");
  EXPECT_EQ(csv.columns(), (std::vector<std::string>{"row", "column"}));
  ASSERT_TRUE(csv.next());
  std::vector<char> bytes;
  csv.read(1, detail::ElementType::uint8, bytes);
  EXPECT_EQ(bytes, std::vector<char>{2});
  EXPECT_FALSE(csv.next());
}

TEST_F(Csv, ReadsCellsBetweenQuotes) {
  CsvReader csv = reader("\"row\", \"id\" ,age\n\"1\",2,\"-3\"\n");
  EXPECT_EQ(csv.columns(), (std::vector<std::string>{"row", "id", "age"}));
  ASSERT_TRUE(csv.next());
  std::vector<char> bytes;
  csv.read(0, detail::ElementType::int8, bytes);
  csv.read(2, detail::ElementType::int8, bytes);
  EXPECT_EQ(bytes, (std::vector<char>{1, -3}));
}

TEST_F(Csv, NumbersOfEveryType) {
  EXPECT_EQ(number<std::int8_t>("-128"), -128);
  EXPECT_EQ(number<std::uint8_t>("255"), 255);
  EXPECT_EQ(number<std::uint64_t>("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(number<float>("0.1"), 0.1F);
  EXPECT_EQ(number<double>("-1e-300"), -1e-300);
  EXPECT_TRUE(std::isnan(number<double>("nan")));
  EXPECT_EQ(number<double>("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(number<bool>("true"));
  EXPECT_TRUE(number<bool>("1"));
  EXPECT_FALSE(number<bool>("false"));
  EXPECT_FALSE(number<bool>("0"));
  EXPECT_TRUE(number<bool>("True"));
  EXPECT_FALSE(number<bool>("FALSE"));
  EXPECT_EQ(number<std::int32_t>("1.0"), 1);
  EXPECT_EQ(number<std::uint16_t>("2e3"), 2000);
  EXPECT_EQ(number<float>("5.5e-48"), 0.0F);
}

TEST_F(Csv, ReadsColumnsBetweenEverySeparator) {
  for (const std::string contents : {
           "row,column,age\n1,2,3\n4,5,6\n",
           "row;column;age\n1;2;3\n4;5;6\n",
           "row;column;age\r\n1,0;2,0;3\r\n4;5,00;6e0\r\n",
           "row\tcolumn\tage\n1\t2\t3\n4\t5\t6\n",
           "row|column|age\n1|2|3\n4|5|6",
           "sep=;\nrow;column;age\n1;2;3\n4;5;6\n",
           "\xEF\xBB\xBFsep=;\r\nrow;column;age\r\n1;2;3\r\n4;5;6\r\n",
           "\"sep=;\"\nrow;column;age\n1;2;3\n4;5;6\n",
           "SEP=\t\nrow\tcolumn\tage\n1\t2\t3\n4\t5\t6\n",
           "sep=,\nrow,column,age\n1,2,3\n4,5,6\n",
           "# made by hand; on Monday\nsep=;\nrow;column;age\n1;2;3\n4;5;6\n",
           "# a,b\n\n  # c\nrow,column,age\n# d\n1,2,3\n#4,4,4\n4,5,6\n# end",
           "\"# note\",,\nrow,column,age\n1,2,3\n4,5,6\n",
           ",row,column,age\n0,1,2,3\n1,4,5,6\n",
           "\"\",\"row\",\"column\",\"age\"\n\"1\",1,2,3\n\"2\",4,5,6\n",
           "Unnamed: 0.1,Unnamed: 0,row,column,age\n0,0,1,2,3\n1,1,4,5,6\n",
           "\trow\tcolumn\tage\na\t1\t2\t3\nb\t4\t5\t6\n",
           "row,column,age,\n1,2,3,\n4,5,6,\n",
           "row;column;age;;;\n1;2;3;;;\n4;5;6;;;\n;;;;;\n",
           "row,column,age,\n1,2,3\n4,5,6\n",
           "row,column,age\n1,2,3,\n4,5,6,,\n,,\n",
           "row ; column ;age\n 1 ; 2 ; 3 \n4;5;6\n",
           "\"row\";\"column\";\"age\"\n\"1,0\";\"2\";\"3\"\n4;5;6\n",
           "row;column;age\n1,000;2;3\n4;5,0;6,000\n",
           "row;column;age\n1.0;2.000;3\n4;5;6.000\n",
           "row\tcolumn\tage\n1,0\t2\t3,000\n4\t5\t6\n",
           "row\tcolumn\tage\n1.000\t2\t3\n4\t5\t6\n",
           "row,column,age\n1.000,2,3\n\"4\",\" 5 \",6\n",
       }) {
    expectTable(contents);
  }
}

/// Files of R (write.table, write.csv) and of pandas (to_csv(sep=" "), to_string).
TEST_F(Csv, ReadsColumnsBetweenBlanksAndNamesOfRows) {
  for (const std::string contents : {
           "row column age\n1 2 3\n4 5 6\n",
           "row  column  age\r\n  1       2    3 \r\n  4\t5 \t 6\r\n",
           "  row  column  age\n    1       2    3\n    4       5    6\n",
           "sep= \nrow column age\n1 2 3\n4 5 6\n",
           "\"row\" \"column\" \"age\"\n1 2 3\n4 5 6\n",
           "\"row\" \"column\" \"age\"\n\"1\" 1 2 3\n\"2\" 4 5 6\n",
           "\"row\" \"column\" \"age\"\n\"1\" 1 2 3\n\"b c\" 4 5 6\n",
           "\"\" \"row\" \"column\" \"age\"\n\"1\" 1 2 3\n\"2\" 4 5 6\n",
           "\"row\" \"column\" \"age\"\n\"1\" 1,0 2 3\n\"2\" 4,0e0 5 6\n",
           "row column age\nann 1 2 3\n2 4 5 6\n",
           " row column age\n0 1 2 3\n1 4 5 6\n",
           "   row  column  age\n0    1       2    3\n1    4       5    6\n",
           "\"row\",\"column\",\"age\"\n\"1\",1,2,3\n\"2\",4,5,6\n",
           "\"row\",\"column\",\"age\"\n\"1\",1,2,3,\n\"2\",4,5,6,\n",
           "\"row\";\"column\";\"age\"\n\"1\";1,0;2;3\n\"2\";4;5;6\n",
           "row\tcolumn\tage\nann\t1\t2\t3\nbob\t4\t5\t6\n",
       }) {
    expectTable(contents);
  }
}

TEST_F(Csv, ReadsDecimalCommasThatAreUnambiguous) {
  struct Cells {
    std::string contents;
    std::vector<double> values;
  };
  for (const auto& [contents, values] : std::vector<Cells>{
           {"a;b\n1,5;-2,25\n,5;3,\n", {1.5, -2.25, 0.5, 3}},
           {"a;b\n1,000;2\n3;4\n", {1, 2, 3, 4}},
           {"a;b\n1,5e3;+2\n1E-1;1234,500\n", {1500, 2, 0.1, 1234.5}},
           {"a\tb\n1,5\t2,000\n", {1.5, 2}},
           {"a|b\n0,125|2,000\n", {0.125, 2}},
           {"a b\n1,000 2,5\n", {1, 2.5}},
           {"a;b\n1.000;0.125\n", {1, 0.125}},
           {"a;b\n1.000;2\n1234.500;1\n", {1, 2, 1234.5, 1}},
           {"a;b\n1.000e0;2.000\n", {1, 2}},
           {"a\tb\n1.000\t2\n", {1, 2}},
           {"\"\";a;b\n\"1.000\";1,5;2\n\"A.1, x\";2;3\n", {1.5, 2, 2, 3}},
       }) {
    CsvReader csv = reader(contents);
    std::vector<double> read;
    while (csv.next()) {
      for (std::size_t column = 0; column < csv.columns().size(); ++column)
        read.push_back(csv.number<double>(column));
    }
    EXPECT_EQ(read, values) << contents;
  }
}

TEST_F(Csv, ErrorsOfSpreadsheetsAreNoComments) {
  CsvReader csv = reader("# 1\n#N/A\n#row,x\nx,y\n#,2\n#N/B,2\n\"#2\",3\n#REF!,1\n");
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.line(), 8);
  EXPECT_FALSE(csv.next());
}

TEST_F(Csv, SeparatorsBetweenQuotesBelongToTheCell) {
  CsvReader csv = reader("\"age, in years\",row\n1,\"2\"\n\"1,5\",3\n");
  EXPECT_EQ(csv.columns(), (std::vector<std::string>{"age, in years", "row"}));
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.number<int>(1), 2);
  ASSERT_TRUE(csv.next());
  EXPECT_TRUE(contains(messageOf<InputError>([&] { (void)csv.number<double>(0); }),
                       ":3: 'age, in years' = '1,5' has a comma: write decimals with a point"));
}

TEST_F(Csv, ColumnsOfOtherSeparatorsAreNamesOfTables) {
  EXPECT_EQ(reader("step,A;B,C|D\n1,2,3\n").columns(),
            (std::vector<std::string>{"step", "A;B", "C|D"}));
}

TEST_F(Csv, LinesThatCannotBeReadAreRefusedByNumber) {
  expectRefusals({
      {"row,,age\n1,2,3\n", ":1: column 2 has no name: name it or leave it out"},
      {",row,Unnamed: 2,age\n", ":1: column 3 has no name: name it or leave it out"},
      {"# a\n1,2,3\n",
       ":2: the first line has numbers; it must name the columns, in a line "
       "that does not begin with '#'"},
      {"#row,column\n0.5,-1e3\n", ":2: the first line has numbers"},
      {"\xFF\xFEr\0o\0", ":1: the text is UTF-16; save it as UTF-8"},
      {"row,column\r1,2\r", ":1: the lines end with a carriage return only"},
      {"row,column\n1;2\n",
       ":2: cells: 1, columns: 2; each column needs a cell; the columns of the first line are "
       "separated by ','"},
      {"row\tcolumn\n1,2\n",
       ":2: cells: 1, columns: 2; each column needs a cell; the columns of the first line are "
       "separated by 'tab'"},
      {"row,column\n1,2,3\n",
       ":2: cells: 3, columns: 2; cell 3 has no name in the first line; numbers have decimal "
       "points; if cell 1 is the name of the row, leave it out (R: row.names = FALSE)"},
      {"row column\n1 1 2\n",
       ":2: cells: 3, columns: 2; cell 3 has no name in the first line; if cell 1 is the name "
       "of the row, leave it out (R: row.names = FALSE)"},
      {"\"row\" \"column\"\n\"1\" \"1\" \"2\"\n", ":2: cells: 3, columns: 2; cell 3 has no"},
      {"row column\nNA 1 2\n", ":2: cells: 3, columns: 2; cell 3 has no name"},
      {"row column\nann 1 2\n1 2\n", ":3: cells: 2, columns: 3; each column needs a cell"},
      {"row column\n1 2\nann 1 2\n", ":3: cells: 3, columns: 2; cell 3 has no name"},
      {"row column\nann 1 2 3\n", ":2: cells: 4, columns: 2; cell 3 has no name"},
      {"row column\n1;2\n",
       ":2: cells: 1, columns: 2; each column needs a cell; the names are separated by blanks: "
       "write a name that has blanks in quotes"},
      {"body mass\n5\n", ":2: cells: 1, columns: 2; each column needs a cell; the names are"},
      {"row,column,\n1,2,3\n", ":2: cells: 3, columns: 2; cell 3 has no name"},
      {",row,column\n0,1,2,3\n", ":2: cells: 4, columns: 3; cell 4 has no name"},
      {"a,b\n\"1,2\n", ":2: cells: 1, columns: 2"},
  });
}

TEST_F(Csv, DeclarationsOfNoSeparatorAreRefused) {
  expectRefusals({
      {"sep=x\nrowxcolumn\n",
       ":1: 'sep=x' declares no separator of columns: write 'sep=' and one comma, semicolon, "
       "tab, blank or |, or remove the line"},
      {"sep=;;;\nrow;column\n", ":1: 'sep=;;;' declares no separator"},
      {"sep=\nrow;column\n", ":1: 'sep=' declares no separator"},
      {"# a\nSEP=\\t\r\nrow;column\n", ":2: 'SEP=\\t' declares no separator"},
      {"\"sep=\"\nrow;column\n", ":1: '\"sep=\"' declares no separator"},
  });
}

TEST_F(Csv, MarksThatMaySeparateThousandsAreRefused) {
  expectRefusals({
      {"a;b\n1,5;2\n1.000;3\n",
       ":3: 'a' = '1.000': the file has both commas and points in numbers; write one of them, "
       "for decimals only"},
      {"a;b\n1.5;2\n2;3,5\n", ":3: 'b' = '3,5': the file has both commas and points"},
      {"a;b\n1.000;2,5\n", ":2: 'b' = '2,5': the file has both commas and points"},
      {"a\tb\n1,000\t2.5\n", ":2: 'b' = '2.5': the file has both commas and points"},
      {"a;b\n1.000;2\n1;2.000\n",
       ":2: 'a' = '1.000' has a decimal point or a separator of thousands, and no other number "
       "of the file shows which: write decimals with a comma, and thousands without a "
       "separator"},
      {"a;b\n1;-12.500\n", ":2: 'b' = '-12.500' has a decimal point or a separator"},
      {"a\tb\n1\t2\n1,000\t2\n",
       ":3: 'a' = '1,000' has a decimal comma or a separator of thousands, and no other number "
       "of the file shows which: write decimals with a point, and thousands without a "
       "separator"},
      {"a;b\n1.000,5;2\n",
       ":2: 'a' = '1.000,5' has a separator of thousands: write the number without it"},
      {"a;b\n1,000,000;2\n", ":2: 'a' = '1,000,000' has a separator of thousands"},
      {"a;b\n1,000.5;2\n", ":2: 'a' = '1,000.5' has a separator of thousands"},
      {"a;b\n1 000,5;2\n", ":2: 'a' = '1 000,5' has a separator of thousands"},
      {"a;b\n1\u00A0000;2\n", ":2: 'a' = '1\u00A0000' has a separator of thousands"},
      {"a;b\n12\u202F345,5;2\n", ":2: 'a' = '12\u202F345,5' has a separator of thousands"},
      {"a,b\n1'000'000,2\n", ":2: 'a' = '1'000'000' has a separator of thousands"},
      {"a,b\n\"1,000,000.5\",2\n", ":2: 'a' = '1,000,000.5' has a separator of thousands"},
      {"a,b\n\"1,000\",2\n",
       ":2: 'a' = '1,000' has a comma: write decimals with a point, and thousands without a "
       "separator"},
      {"a,b\n12.05.2024,2\n", ":2: 'a' = '12.05.2024' is not a number"},
  });
}

TEST_F(Csv, MissingValuesAreNamed) {
  expectRefusals({
      {"a,b\n1,\n", ":2: 'b' = '' is a missing value: write a value, or leave out the row"},
      {"a,b\nNA,2\n", ":2: 'a' = 'NA' is a missing value"},
      {"a,b\n1,<NA>\n", ":2: 'b' = '<NA>' is a missing value"},
      {"\"a\";\"b\"\n1;\"NULL\"\n", ":2: 'b' = 'NULL' is a missing value"},
      {"a b\n1 .\n", ":2: 'b' = '.' is a missing value"},
      {"a\tb\n1\t\\N\n", ":2: 'b' = '\\N' is a missing value"},
      {"a,b\n1,-1.#IND\n", ":2: 'b' = '-1.#IND' is a missing value"},
      {"a,b\n#N/A,2\n",
       ":2: 'a' = '#N/A' is an error of a spreadsheet: correct its formula, or leave out the "
       "row"},
      {"a;b\n1;2\n#DIV/0!;2\n", ":3: 'a' = '#DIV/0!' is an error of a spreadsheet"},
      {"a,b\n\"#VALUE!\",2\n", ":2: 'a' = '#VALUE!' is an error of a spreadsheet"},
      {"a;b\n1;#NV\n", ":2: 'b' = '#NV' is an error of a spreadsheet"},
      {"a;b\n#NAME?;1\n", ":2: 'a' = '#NAME?' is an error of a spreadsheet"},
  });
}

TEST_F(Csv, WhatIsNoNumberOfTheTypeIsNamed) {
  const std::string where = (folder / "a.csv").string() + ":2: 'x' = ";
  EXPECT_EQ(complaint<std::int8_t>("128"), where + "'128' is not an integer from -128 to 127");
  EXPECT_EQ(complaint<std::uint8_t>("-1"), where + "'-1' is not an integer from 0 to 255");
  EXPECT_EQ(complaint<bool>("2"),
            where + "'2' is not true or false (yes or no, on or off, 1 or 0)");
  EXPECT_EQ(complaint<float>("1e99"), where + "'1e99' is too large for a float (at most 3.4e38)");
  EXPECT_EQ(complaint<double>("-1e309"),
            where + "'-1e309' is too large for a double (at most 1.8e308)");
  EXPECT_EQ(complaint<std::int32_t>("nan"),
            where + "'nan' is a missing value: write a value, or leave out the row");
  EXPECT_EQ(complaint<bool>("NA"),
            where + "'NA' is a missing value: write a value, or leave out the row");
  EXPECT_EQ(complaint<std::int32_t>("inf"),
            where + "'inf' is not an integer from -2147483648 to 2147483647");
  for (const std::string cell : {"1.5", "3x", "x", "1 2", "\"1", "0x10"}) {
    EXPECT_TRUE(contains(complaint<std::int32_t>(cell), where + "'" + cell + "'"));
  }
  EXPECT_TRUE(contains(complaint<double>("1,5"),
                       ":2: cells: 2, columns: 1; cell 2 has no name in the first line; numbers "
                       "have decimal points"));
  CsvReader csv = reader("a,b\n1,\n");
  ASSERT_TRUE(csv.next());
  std::vector<char> bytes;
  EXPECT_TRUE(
      contains(messageOf<InputError>([&] { csv.read(1, detail::ElementType::float64, bytes); }),
               "'b' = ''"));
}

TEST_F(Csv, WhatIsNoTextFitsInAMessage) {
  const std::string where = (folder / "a.csv").string() + ":2: 'x' = ";
  EXPECT_TRUE(contains(complaint<int>("1\a"), where + "'1?' is not"));
  EXPECT_TRUE(contains(complaint<int>(std::string("1\0", 2)), where + "'1?' is not"));
  EXPECT_TRUE(contains(complaint<int>(std::string(1000, 'x')),
                       where + "'" + std::string(60, 'x') + "...' is not"));
  EXPECT_EQ(CsvReader::shown(std::string(59, 'x') + "\u00e9"), std::string(59, 'x') + "...");
}

TEST_F(Csv, FilesThatCannotBeReadAreNamed) {
  const auto complaintOf = [](const std::filesystem::path& file) {
    return messageOf<InputError>([&] { CsvReader{file}; });
  };
  EXPECT_EQ(complaintOf(folder / "none.csv"), "cannot read '" + (folder / "none.csv").string() +
                                                  "': No such file or directory; name a CSV file");
  EXPECT_TRUE(contains(complaintOf(folder.path()), "it is a folder"));
  writeBytes(folder / "empty.csv", "");
  EXPECT_TRUE(contains(complaintOf(folder / "empty.csv"), "must name the columns"));
  writeBytes(folder / "twice.csv", "a,b,a\n");
  EXPECT_EQ(complaintOf(folder / "twice.csv"),
            (folder / "twice.csv").string() + ":1: there are two columns 'a'");
}

}  // namespace
}  // namespace mass
