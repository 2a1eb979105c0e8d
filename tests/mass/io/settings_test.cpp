#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mass/io/settings.hpp>
#include <mass/support/error.hpp>

namespace mass {
namespace {

Schema life() {
  auto schema = Schema::library();
  schema.setDefault("steps", 1000);
  schema.add("rows", 512, "places", "height of the world").atLeast(1);
  schema.add("time_step", 0.25, "s", "length of a step").above(0);
  schema.add("torus", true, "", "whether the world wraps around");
  schema.add("rule", "B3/S23", "", "who is born and who survives");
  schema.add("pattern", "", "", "a file to start from");
  schema.add("shift", std::int64_t{0}, "", "any integer");
  return schema;
}

Settings parse(std::string_view yaml) {
  return Settings::parse(yaml, "life.yaml", life());
}

Settings with(std::string_view assignment) {
  Settings settings{life()};
  settings.set(assignment);
  return settings;
}

template <class Action>
std::string messageOf(Action action) {
  try {
    action();
  } catch (const SettingsError& error) {
    return error.what();
  }
  return "no SettingsError";
}

std::string parseError(std::string_view yaml) {
  return messageOf([&] { parse(yaml); });
}

std::string setError(std::string_view assignment) {
  return messageOf([&] { with(assignment); });
}

/// Creates a folder for each test and removes it afterwards.
class SettingsFile : public testing::Test {
 protected:
  SettingsFile() {
    auto name = (std::filesystem::temp_directory_path() / "mass-settings-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = name;
  }
  ~SettingsFile() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(std::string_view text) const {
    std::ofstream{folder_ / "life.yaml", std::ios::binary} << text;
    return folder_ / "life.yaml";
  }

  std::filesystem::path folder_;
};

TEST(Settings, readsEveryType) {
  const auto settings = parse(
      "rows: 12\ntime_step: 1e-3\ntorus: no\nrule: B36/S23\nweights: [1, 2.5]\n"
      "output:\n  folder: results\n  frame_every: 5\n");
  EXPECT_EQ(settings.get<int>("rows"), 12);
  EXPECT_EQ(settings.get<std::int64_t>("rows"), 12);
  EXPECT_EQ(settings.get<double>("time_step"), 1e-3);
  EXPECT_FALSE(settings.get<bool>("torus"));
  EXPECT_EQ(settings.get<std::string>("rule"), "B36/S23");
  EXPECT_EQ(settings.get<std::vector<double>>("weights"), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(settings.get<std::string>("output.folder"), "results");
  EXPECT_EQ(settings.get<std::size_t>("output.frame_every"), 5u);
}

TEST(Settings, whatIsNotGivenHasItsDefault) {
  const auto settings = parse("rows: 512\n");
  EXPECT_EQ(settings.get<int>("steps"), 1000);
  EXPECT_EQ(settings.get<std::string>("output.folder"), "out");
  EXPECT_TRUE(settings.given("rows"));
  EXPECT_FALSE(settings.given("steps"));
  EXPECT_TRUE(with("steps=1000").given("steps"));
}

TEST(Settings, formsOfYaml) {
  EXPECT_EQ(parse("{rows: 7, output: {folder: x}}").get<std::string>("output.folder"), "x");
  EXPECT_EQ(parse("output.folder: x").get<std::string>("output.folder"), "x");
  EXPECT_EQ(parse("weights:\n- 1\n- 2\n").get<std::vector<double>>("weights").size(), 2u);
  EXPECT_EQ(parse("rows: &n 7\nsteps: *n\n").get<int>("steps"), 7);
  EXPECT_EQ(parse("\xef\xbb\xbfrows: 7\r\nsteps: 8\r\n").get<int>("rows"), 7);
  EXPECT_EQ(parse("rule: \"12\"\n").get<std::string>("rule"), "12");
  EXPECT_EQ(parse("rule: 12\n").get<std::string>("rule"), "12");
  EXPECT_EQ(parse("rule: ''\n").get<std::string>("rule"), "");
  EXPECT_FALSE(parse("output:\n  # folder: x\nrows: 7\n").given("output.folder"));
}

TEST(Settings, aQuoteThatIsNeverClosedIsNamedWithItsLine) {
  const std::string says = "the quote that opens in this line is never closed";
  for (const std::string quote : {"\"", "'"}) {
    for (const std::string end : {"", "\n", "\n\n", "\r\n", "  \n \t \n"}) {
      EXPECT_EQ(parseError("output:\n  folder: " + quote + "uq\ndevices: 999\nbogus: 1" + end),
                "life.yaml:2: " + says);
      EXPECT_EQ(parseError("rows: 7\nsteps: 8\nrule: " + quote + end), "life.yaml:3: " + says);
      EXPECT_EQ(parseError("rule: 'x'\n\nweights: [1,\n  " + quote + "2]\nrows: 3" + end),
                "life.yaml:4: " + says);
      EXPECT_EQ(parseError("rule: {" + quote + "a: 1}\n" + end), "life.yaml:1: " + says);
    }
  }
  EXPECT_EQ(parseError("rule: 'it''s\n"), "life.yaml:1: " + says);
  EXPECT_EQ(parseError("rule: 'it''\n"), "life.yaml:1: " + says);
  EXPECT_EQ(parseError("rule: \"a\\\"\nrows: 7\n"), "life.yaml:1: " + says);
  EXPECT_EQ(setError("weights=[1, '2]"), "--set weights=[1, '2]:1: " + says);
}

TEST(Settings, quotesThatOpenNothingAreLeftAlone) {
  const auto rule = [](std::string_view yaml) { return parse(yaml).get<std::string>("rule"); };
  EXPECT_EQ(rule("rule: \"two\n  lines\"\nrows: 7\n"), "two lines");
  EXPECT_EQ(rule("rule: 'two\n\n  lines'\nrows: 7\n"), "two\nlines");
  EXPECT_EQ(rule("rule: 'it''s'\n"), "it's");
  EXPECT_EQ(rule("rule: \"a\\\"b\"\n"), "a\"b");
  EXPECT_EQ(rule("rule: 'a\"b'\n"), "a\"b");
  EXPECT_EQ(rule("rule: it's\n"), "it's");
  EXPECT_EQ(rule("rule: 5\" wide\n"), "5\" wide");
  EXPECT_EQ(rule("rule: it # isn't\n# \"nor this\n"), "it");
  EXPECT_EQ(rule("rule: |\n  \"open\n  'too\nrows: 7\n"), "\"open\n'too\n");
  EXPECT_EQ(rule("rule: >\n  it's \"open\n"), "it's \"open\n");
  EXPECT_EQ(rule("rule: |+\n  'open\n\n"), "'open\n\n");
}

TEST(Settings, formsOfNumbers) {
  EXPECT_EQ(parse("seed: 9223372036854775807").get<std::uint64_t>("seed"), 9223372036854775807u);
  EXPECT_EQ(parse("shift: -9223372036854775808").get<std::int64_t>("shift"), INT64_MIN);
  EXPECT_EQ(parse("shift: +5").get<int>("shift"), 5);
  EXPECT_EQ(parse("time_step: 2").get<double>("time_step"), 2);
  EXPECT_EQ(parse("time_step: +.5").get<double>("time_step"), .5);
  EXPECT_EQ(parse("shift: 1.0").get<int>("shift"), 1);
  EXPECT_EQ(with("shift=-2e3").get<int>("shift"), -2000);
  EXPECT_EQ(parse("weights: [1, 1.0e1, 5e-324]").get<std::vector<double>>("weights"),
            (std::vector<double>{1, 10, 5e-324}));
  EXPECT_EQ(parseError("time_step: 1e-999"), "life.yaml:1: 'time_step' = 0: must be above 0");
  for (const auto* number :
       {"", "+", "-", "+-5", "0x10", "1_000", "1e-3", "1.5", "5 5", "five", "1,000"})
    EXPECT_THROW(parse(fmt::format("shift: {}", number)), SettingsError) << number;
  for (const auto* number : {"+", "-", "+-5", "0x1p3", "1e", "1.2.3", "nan", ".nan", "inf", "-.inf",
                             "infinity", "1e999"})
    EXPECT_THROW(parse(fmt::format("time_step: {}", number)), SettingsError) << number;
}

TEST(Settings, differencesAreKeysOfOtherValuesThatBothKnow) {
  const auto mine = parse("rows: 7\ntime_step: 0.1\nrule: B2/S\noutput: {folder: x}\nweights: [1]");
  EXPECT_EQ(mine.differences(mine), std::vector<std::string>{});
  EXPECT_EQ(mine.differences(parse(mine.print())), std::vector<std::string>{});
  EXPECT_EQ(mine.differences(Settings{life()}),
            (std::vector<std::string>{"weights", "rows", "time_step", "rule", "output.folder"}));
  EXPECT_EQ(mine.differences(parse("rows: 7\ntime_step: 0.1\nrule: B2/S\nweights: [1]")),
            std::vector<std::string>{"output.folder"});
  EXPECT_EQ(mine.differences(Settings{}),
            (std::vector<std::string>{"weights", "steps", "output.folder"}));
}

TEST_F(SettingsFile, isNamedOnlyWhenThereIsOne) {
  const auto file = write("rows: 7\n");
  EXPECT_EQ(Settings::load(file, life()).file(), file);
  EXPECT_TRUE(parse("rows: 7").file().empty());
  EXPECT_TRUE(Settings{}.file().empty());
}

TEST(Settings, formsOfTruth) {
  for (const auto* yes : {"true", "True", "TRUE", "yes", "Yes", "on", "ON", "y", "1"})
    EXPECT_TRUE(with(fmt::format("torus={}", yes)).get<bool>("torus"));
  for (const auto* no : {"false", "False", "FALSE", "no", "NO", "off", "Off", "n", "0"})
    EXPECT_FALSE(with(fmt::format("torus={}", no)).get<bool>("torus"));
  for (const auto* neither : {"2", "-1", "tru", "wahr", "\"true\"", "[true]"})
    EXPECT_THROW(parse(fmt::format("torus: {}", neither)), SettingsError) << neither;
}

TEST(Settings, aMisspelledKeyIsNamedWithItsNearest) {
  EXPECT_EQ(parseError("steps: 1\n\nrow: 5\n"),
            "life.yaml:3: unknown key 'row'; did you mean 'rows'?");
  EXPECT_EQ(parseError("output:\n  foldr: x\n"),
            "life.yaml:2: unknown key 'output.foldr'; did you mean 'output.folder'?");
  EXPECT_EQ(parseError("output:\nfolder: x\n"),
            "life.yaml:2: unknown key 'folder'; did you mean 'output.folder'?");
  EXPECT_EQ(parseError("outptu:\n  folder: x\n"),
            "life.yaml:1: unknown key 'outptu'; did you mean 'output'?");
  EXPECT_EQ(parseError("temperature: 5\n"),
            "life.yaml:1: unknown key 'temperature'; --help lists the keys");
  EXPECT_EQ(parseError("checkpoint:\n  compression: 5\n"),
            "life.yaml:2: unknown key 'checkpoint.compression'; the keys of 'checkpoint' are "
            "every, file");
}

TEST(Settings, aKeyIsGivenOnce) {
  EXPECT_EQ(parseError("rows: 1\nsteps: 2\nrows: 3\n"),
            "life.yaml:3: 'rows' is given a second time; the first is in line 1");
  EXPECT_EQ(parseError("output: {folder: x}\noutput: {frame_every: 1}\n"),
            "life.yaml:2: 'output' is given a second time; the first is in line 1");
  EXPECT_EQ(parseError("output.folder: x\noutput:\n  folder: y\n"),
            "life.yaml:3: 'output.folder' is given a second time; the first is in line 1");
}

TEST(Settings, sectionsAndValuesAreNotMixedUp) {
  EXPECT_EQ(parseError("rows:\n  height: 5\n"),
            "life.yaml:1: 'rows': expected an integer, got a section");
  EXPECT_EQ(
      parseError("checkpoint: 5\n"),
      "life.yaml:1: 'checkpoint' is a section: expected its keys (every, file) indented below it, "
      "got '5'");
  EXPECT_EQ(parseError("rows: [5]\n"), "life.yaml:1: 'rows': expected an integer, got a list");
  EXPECT_EQ(parseError("rule: [5]\n"), "life.yaml:1: 'rule': expected text, got a list");
  EXPECT_EQ(parseError("weights: 5\n"),
            "life.yaml:1: 'weights': expected a list of numbers such as [1, 2.5], got '5'");
  EXPECT_EQ(parseError("? [rows, columns]\n: 5\n"),
            "life.yaml:1: a key must be a word, got a list");
}

TEST(Settings, aWrongTypeIsNamed) {
  EXPECT_EQ(parseError("steps: 1\nrows: abc\n"),
            "life.yaml:2: 'rows': expected an integer, got 'abc'");
  EXPECT_EQ(parseError("rows: 1.5\n"), "life.yaml:1: 'rows': expected an integer, got '1.5'");
  EXPECT_EQ(parseError("rows: \"12\"\n"),
            "life.yaml:1: 'rows': expected an integer, got the quoted text \"12\"");
  EXPECT_EQ(parseError("rows: 99999999999999999999\n"),
            "life.yaml:1: 'rows': expected an integer, got '99999999999999999999', which does not "
            "fit into "
            "64 bits");
  EXPECT_EQ(parseError("time_step: -1e999\n"),
            "life.yaml:1: 'time_step': expected a number, got '-1e999', which is too large for a "
            "double (at most 1.8e308)");
  EXPECT_EQ(parseError("time_step: inf\n"),
            "life.yaml:1: 'time_step': expected a number, got 'inf'");
  EXPECT_EQ(parseError("torus: 2\n"), "life.yaml:1: 'torus': expected true or false, got '2'");
  EXPECT_EQ(parseError("rows: !!int 12\n"), "life.yaml:1: 'rows': expected an integer, got '12'");
  EXPECT_EQ(parseError("rows:\nsteps: 1\n"),
            "life.yaml:1: 'rows' has no value; expected an integer");
  EXPECT_EQ(parseError("rule: ~\n"), "life.yaml:1: 'rule' has no value; expected text");
  EXPECT_EQ(parseError("rule: \"a\\0b\"\n"),
            "life.yaml:1: 'rule': the text holds a control character or is not UTF-8");
}

TEST(Settings, aValueOutOfRangeIsNamedWithTheRange) {
  EXPECT_EQ(parseError("rows: 0\n"), "life.yaml:1: 'rows' = 0: must be at least 1");
  EXPECT_EQ(parseError("time_step: 0\n"), "life.yaml:1: 'time_step' = 0: must be above 0");
  EXPECT_EQ(parseError("MAX_PLACE_EXCHANGE: 65\n"),
            "life.yaml:1: 'MAX_PLACE_EXCHANGE' = 65: must be 0 to 64 or auto");
  EXPECT_EQ(parseError("weights: [1, 0]\n"),
            "life.yaml:1: 'weights' = [1, 0]: each must be above 0");
  EXPECT_EQ(parseError("backend: cpus\n"),
            "life.yaml:1: 'backend' = cpus: must be cpu, cuda or auto; did you mean 'cpu'?");
  EXPECT_EQ(parseError("backend: quantum\n"),
            "life.yaml:1: 'backend' = quantum: must be cpu, cuda or auto");
}

TEST(Settings, whatIsNoSettingsTextIsRefused) {
  EXPECT_EQ(parseError("- rows\n"), "life.yaml:1: expected 'key: value' lines, got a list");
  EXPECT_EQ(parseError("\nrows\n"), "life.yaml:2: expected 'key: value' lines, got 'rows'");
  EXPECT_EQ(parseError("rows: 1\n---\nrows: 2\n"),
            "life.yaml:2: a settings file is one YAML document; it ended before this line");
  EXPECT_EQ(
      parseError("rows: 1\nrule: \xe9t\xe9\n"),
      "life.yaml:2: byte 0xe9 is not text; a settings file is UTF-8 without control characters");
  EXPECT_NE(parseError(std::string_view{"rows: 1\0\n", 9}).find("life.yaml:1: byte 0x00"),
            std::string::npos);
  const auto unclosed = parseError("rows: 1\nweights: [1, 2\n");
  EXPECT_TRUE(unclosed.starts_with("life.yaml:3:1: not YAML: ")) << unclosed;
}

TEST(Settings, anythingButUtf8IsRefused) {
  for (const auto* text :
       {"\x80", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xc3", "\x01", "\x7f"})
    EXPECT_THROW(parse(fmt::format("rule: {}", text)), SettingsError) << text;
  for (const auto* text :
       {"\xc2\xa2", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf"})
    EXPECT_EQ(parse(fmt::format("rule: {}", text)).get<std::string>("rule"), text);
}

TEST(Settings, hostileYamlIsRefused) {
  const auto repeated = [](std::string_view piece, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += piece;
    return text;
  };
  for (const auto* piece : {"[", "{", "- ", "? ", ": ", "{a: ", "[{"}) {
    EXPECT_NE(parseError(repeated(piece, 100'000)), "no SettingsError") << piece;
    EXPECT_NE(parseError("weights: " + repeated(piece, 100'000)), "no SettingsError") << piece;
  }
  EXPECT_NE(parseError("weights: &a [*a]\n"), "no SettingsError");
  EXPECT_NE(parseError("output: &a {output: *a}\n"), "no SettingsError");
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 100; ++i)
    bomb += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}]\n", i, i - 1);
  EXPECT_NE(parseError(bomb + "weights: [*a99]\n"), "no SettingsError");
  EXPECT_NE(parseError(",r$"), "no SettingsError");  // YAML::LoadAll does not return
  EXPECT_NE(parseError("rows: 1\n]"), "no SettingsError");
  EXPECT_NE(parseError("rule: " + repeated("x", (1 << 20))).find("larger than 1 MiB"),
            std::string::npos);
}

TEST(Settings, messagesStayOneShortLine) {
  const auto error = parseError("rows: \"" + std::string(10'000, 'x') + "\\n\\e\"\n");
  EXPECT_LT(error.size(), 200u);
  EXPECT_EQ(parseError("\"a\\nb\": 1\n"), "life.yaml:1: unknown key 'a?b'; --help lists the keys");
}

TEST(Settings, setWinsOverTheFileAndTheLastOverTheFirst) {
  auto settings = parse("rows: 5\n");
  settings.set("rows=6");
  settings.set(" rows = 7 ");
  EXPECT_EQ(settings.get<int>("rows"), 7);
}

TEST(Settings, setTakesTextAsItStands) {
  EXPECT_EQ(with("rule=B3/S23: # 'a' \"b\"=c").get<std::string>("rule"), "B3/S23: # 'a' \"b\"=c");
  EXPECT_EQ(with("rule=null").get<std::string>("rule"), "null");
  EXPECT_EQ(with("rule=").get<std::string>("rule"), "");
  EXPECT_EQ(with("weights=[1, 2]").get<std::vector<double>>("weights").size(), 2u);
  EXPECT_EQ(with("output.folder=x").get<std::string>("output.folder"), "x");
}

TEST(Settings, setNamesItselfInErrors) {
  EXPECT_EQ(setError("rows"), "--set rows: expected key=value, such as --set seed=7");
  EXPECT_EQ(setError("row=5"), "--set row=5: unknown key 'row'; did you mean 'rows'?");
  EXPECT_EQ(setError("rows=abc"), "--set rows=abc: expected an integer, got 'abc'");
  EXPECT_EQ(setError("rows="), "--set rows= has no value; expected an integer");
  EXPECT_EQ(setError("rows=0"), "--set rows=0: must be at least 1");
  EXPECT_EQ(setError("checkpoint=x"),
            "--set checkpoint=x: 'checkpoint' is a section; its keys are every, file");
  EXPECT_EQ(setError("backend=gpu"),
            "--set backend=gpu: must be cpu, cuda or auto; did you mean 'cpu'?");
  for (const auto* list : {"1", "[1,", "1, 2"})
    EXPECT_EQ(
        setError(fmt::format("weights={}", list)),
        fmt::format("--set weights={0}: expected a list of numbers such as [1, 2.5], got '{0}'",
                    list));
  EXPECT_EQ(setError("weights="),
            "--set weights= has no value; expected a list of numbers such as [1, 2.5]");
  EXPECT_EQ(setError("rows=[1]"), "--set rows=[1]: expected an integer, got a list");
  EXPECT_TRUE(setError("weights=[1]]").starts_with("--set weights=[1]]:1"));
  EXPECT_NE(setError("rule=\xff").find("not UTF-8"), std::string::npos);
}

TEST(Settings, aListOfTextsIsAListOrOneText) {
  Schema schema = Schema::library();
  schema.add("names", std::vector<std::string>{}, "", "some names");
  const auto parsed = [&](const std::string& yaml) {
    return Settings::parse(yaml, "a.yaml", schema).get<std::vector<std::string>>("names");
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(parsed(""), Texts{});
  EXPECT_EQ(parsed("names: [one, \"two, three\", 4]\n"), (Texts{"one", "two, three", "4"}));
  EXPECT_EQ(parsed("names:\n  - one\n  - two\n"), (Texts{"one", "two"}));
  EXPECT_EQ(parsed("names: one\n"), Texts{"one"});
  Settings settings(schema);
  settings.set("names=[b, c]");
  EXPECT_EQ(settings.get<Texts>("names"), (Texts{"b", "c"}));
  settings.set("names=d");
  EXPECT_EQ(settings.get<Texts>("names"), Texts{"d"});
  EXPECT_EQ(messageOf([&] { (void)parsed("names: {a: 1}\n"); }),
            "a.yaml:1: 'names': expected a list of texts such as [one, two], got a section");
  EXPECT_EQ(messageOf([&] { (void)parsed("names: [[a]]\n"); }),
            "a.yaml:1: 'names': expected a list of texts such as [one, two], got a list");
  EXPECT_EQ(parsed("names: " + toYaml(Texts{"a, b", "]", "", "true", "#x"})),
            (Texts{"a, b", "]", "", "true", "#x"}));
}

TEST(Settings, aRefusedSetChangesNothing) {
  Settings settings{life()};
  EXPECT_THROW(settings.set("rows=0"), SettingsError);
  EXPECT_EQ(settings.get<int>("rows"), 512);
  EXPECT_FALSE(settings.given("rows"));
}

TEST(Settings, theProgramsMistakesAreUsageErrors) {
  const auto settings = parse("rows: 5\n");
  EXPECT_THROW(settings.get<int>("row"), UsageError);
  EXPECT_THROW(settings.get<double>("rows"), UsageError);
  EXPECT_THROW(settings.get<int>("time_step"), UsageError);
  EXPECT_THROW(settings.get<std::string>("rows"), UsageError);
  EXPECT_THROW(settings.given("row"), UsageError);
  EXPECT_THROW(settings.reject("row", ""), UsageError);
  Schema schema;
  schema.add("rows", 0, "", "").atLeast(1);
  EXPECT_THROW(Settings{schema}, UsageError);
}

TEST(Settings, aNumberTooLargeForTheProgramIsTheUsersError) {
  const auto settings = parse("rows: 3000000000\nshift: -1\n");
  EXPECT_EQ(settings.get<std::int64_t>("rows"), 3'000'000'000);
  EXPECT_THROW(settings.get<int>("rows"), SettingsError);
  EXPECT_THROW(settings.get<std::uint64_t>("shift"), SettingsError);
}

TEST(Settings, floatsAreTheNearestOfTheNumber) {
  auto settings = parse("time_step: 0.1\nweights: [0.1, 3]\n");
  EXPECT_EQ(settings.get<float>("time_step"), 0.1F);
  EXPECT_EQ(settings.get<std::vector<float>>("weights"), (std::vector<float>{0.1F, 3}));
  settings.set("time_step=3.4e38");
  EXPECT_EQ(settings.get<float>("time_step"), 3.4e38F);
}

TEST(Settings, floatsAreInTheRangeOfTheirTypeAndKey) {
  auto settings = parse("time_step: 1e39\nweights: [1, 1e-50]\n");
  const auto read = [&] { settings.get<float>("time_step"); };
  EXPECT_EQ(messageOf(read),
            "life.yaml:1: 'time_step' = 1e+39: is too large for a float (at most 3.4e38)");
  EXPECT_EQ(settings.get<double>("time_step"), 1e39);
  settings.set("time_step=1e-50");
  EXPECT_EQ(messageOf(read),
            "--set time_step=1e-50: is 0 as a float (the least is 1.4e-45), and must be above 0");
  EXPECT_EQ(messageOf([&] { settings.get<std::vector<float>>("weights"); }),
            "life.yaml:2: 'weights' = [1, 1e-50]: is 0 as a float (the least is 1.4e-45), and must "
            "be above 0");
}

TEST(Settings, rejectSaysWhereTheValueCameFrom) {
  auto settings = parse("steps: 1\ntime_step: 0.5\n");
  const auto error = [&] { settings.reject("time_step", "at most 0.2"); };
  EXPECT_EQ(messageOf(error), "life.yaml:2: 'time_step' = 0.5: at most 0.2");
  settings.set("time_step=0.75");
  EXPECT_EQ(messageOf(error), "--set time_step=0.75: at most 0.2");
  settings = parse("steps: 1\n");
  EXPECT_EQ(messageOf(error), "life.yaml: 'time_step' = 0.25 (the default): at most 0.2");
}

TEST(Settings, pathsAreRelativeToWhereTheyWereWritten) {
  auto settings = Settings::parse("pattern: ../gun.rle", "cases/life.yaml", life());
  EXPECT_EQ(settings.path("pattern"), "cases/../gun.rle");
  EXPECT_EQ(settings.resolve("/data/gun.rle"), "/data/gun.rle");
  settings.set("pattern=gun.rle");
  EXPECT_EQ(settings.path("pattern"), "gun.rle");
  settings.set("pattern=");
  EXPECT_EQ(settings.path("pattern"), "");
  EXPECT_EQ(settings.resolved(),
            (std::vector<std::filesystem::path>{"cases/../gun.rle", "/data/gun.rle", "gun.rle"}));
  EXPECT_EQ(parse("rows: 1").path("pattern"), "");
  EXPECT_EQ(parse("pattern: gun.rle").path("pattern"), "gun.rle");
}

TEST(Settings, printReadsBackToTheSameSettings) {
  auto settings = parse("rows: 7\nweights: [0.1, 1e-300, 3]\noutput:\n  frame_every: 3\n");
  settings.set("seed=9223372036854775807");
  settings.set("time_step=0.1000000000000000055511151231257827");
  settings.set("output.folder=two words: \"x\" # \\ \xc3\xa9");
  settings.set("rule=null");
  settings.set("torus=off");
  const auto again = parse(settings.print());
  EXPECT_EQ(again.print(), settings.print());
  for (const auto* key : {"output.folder", "rule"})
    EXPECT_EQ(again.get<std::string>(key), settings.get<std::string>(key));
  EXPECT_EQ(again.get<std::vector<double>>("weights"), (std::vector<double>{0.1, 1e-300, 3}));
  EXPECT_EQ(again.get<std::int64_t>("seed"), INT64_MAX);
  EXPECT_EQ(again.get<double>("time_step"), 0.1);
  EXPECT_FALSE(again.get<bool>("torus"));
}

TEST(Settings, aPrintedFileSetsTheSameKeys) {
  const auto settings =
      parse("rows: 7\nsteps: 100\noutput:\n  frame_every: 0\n  folder: 'two: words'\n");
  const auto again = parse(settings.printFile());
  EXPECT_EQ(again.printFile(), settings.printFile());
  EXPECT_EQ(again.print(), settings.print());
  for (const auto& key : settings.schema().keys())
    EXPECT_EQ(again.given(key.name), settings.given(key.name)) << key.name;
  EXPECT_TRUE(again.given("output.frame_every"));
  EXPECT_FALSE(again.given("checkpoint.file"));
}

TEST(Settings, aPrintedFileShowsDefaultsAsComments) {
  Schema schema;
  schema.add("rows", 512, "places", "height of the world").atLeast(1);
  schema.add("columns", 3, "places", "width of the world").atLeast(1);
  schema.add("output.folder", "out", "", "folder of the results");
  EXPECT_EQ(Settings::parse("columns: 3", "test.yaml", schema).printFile(),
            "# rows: 512                         # height of the world [places, at least 1]\n"
            "columns: 3                          # width of the world [places, at least 1]\n"
            "output:\n"
            "  # folder: out                     # folder of the results\n");
}

TEST(Settings, printExplainsItself) {
  Schema schema;
  schema.add("rows", 512, "places", "height of the world").atLeast(1);
  schema.add("output.folder", "out", "", "folder of the results");
  EXPECT_EQ(Settings{schema}.print(),
            "rows: 512                           # height of the world [places, at least 1]\n"
            "output:\n"
            "  folder: out                       # folder of the results\n");
}

/// Returns settings of "growth: 0.25", which may change, and of "rows: 7", which may not.
Settings changeable() {
  Schema schema;
  schema.add("rows", 512, "places", "height").atLeast(1);
  schema.add("growth", 0.5, "", "growth").between(0, 1).live();
  schema.add("names", std::vector<std::string>{"a"}, "", "names").live();
  return Settings::parse("rows: 7\ngrowth: 0.25\n", "life.yaml", schema);
}

TEST(Settings, changesKeepWhatWasGivenForTheRecord) {
  Settings settings = changeable();
  const auto [key, value] = settings.liveValue("growth=1");
  EXPECT_EQ(settings.change(key, value), SettingValue(1.0));
  EXPECT_EQ(settings.change(key, std::int64_t{1}), std::nullopt);
  EXPECT_EQ(settings.change(key, 0.75), SettingValue(0.75));
  EXPECT_EQ(settings.get<double>("growth"), 0.75);
  EXPECT_NE(settings.print().find("growth: 0.75"), std::string::npos);
  EXPECT_EQ(settings.recorded()[1].value, (std::variant<SettingValue, ConfigNode>(0.25)));
  EXPECT_EQ(settings.recorded()[1].origin, "life.yaml:2");
  EXPECT_EQ(settings.change("names", std::vector<double>{}),
            SettingValue(std::vector<std::string>{}));
  settings.undoChanges();
  EXPECT_EQ(settings.get<double>("growth"), 0.25);
  EXPECT_EQ(settings.print(), changeable().print());
}

TEST(Settings, aRefusedChangeLeavesTheValue) {
  Settings settings = changeable();
  EXPECT_THROW((void)settings.liveValue("rows=8"), SettingsError);
  EXPECT_THROW(settings.change("rows", std::int64_t{8}), SettingsError);
  EXPECT_THROW(settings.change("grow", 0.5), SettingsError);
  EXPECT_THROW(settings.change("growth", 1.5), SettingsError);
  EXPECT_THROW(settings.change("growth", true), SettingsError);
  EXPECT_EQ(settings.print(), changeable().print());
  EXPECT_EQ(settings.origin("growth"), "life.yaml:2");
}

TEST_F(SettingsFile, isReadAndNamed) {
  const auto file = write("rows: 5\npattern: gun.rle\n");
  const auto settings = Settings::load(file, life());
  EXPECT_EQ(settings.get<int>("rows"), 5);
  EXPECT_EQ(settings.path("pattern"), folder_ / "gun.rle");
  write("row: 5\n");
  EXPECT_EQ(messageOf([&] { Settings::load(file, life()); }),
            file.string() + ":1: unknown key 'row'; did you mean 'rows'?");
}

TEST_F(SettingsFile, thatCannotBeReadIsNamed) {
  const auto load = [](const std::filesystem::path& file) {
    return messageOf([&] { Settings::load(file); });
  };
  EXPECT_EQ(load(folder_ / "none.yaml"),
            fmt::format("cannot read the settings file '{}': No such file or directory",
                        (folder_ / "none.yaml").string()));
  EXPECT_EQ(load(folder_),
            fmt::format("cannot read the settings file '{}': it is a folder", folder_.string()));
  EXPECT_NE(load(write("") / "x").find("Not a directory"), std::string::npos);
  EXPECT_NE(load(write(std::string((1 << 20) + 1, '#'))).find("larger than 1 MiB"),
            std::string::npos);
  EXPECT_NE(load("/dev/zero").find("larger than 1 MiB"), std::string::npos);
  EXPECT_NE(load("/proc/self/mem").find("cannot read the settings file"), std::string::npos);
}

TEST_F(SettingsFile, withoutPermissionIsNamed) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const auto file = write("rows: 5\n");
  ASSERT_EQ(chmod(file.c_str(), 0), 0);
  EXPECT_NE(messageOf([&] { Settings::load(file); }).find("Permission denied"), std::string::npos);
}

}  // namespace
}  // namespace mass
