#include <mass/io/keys.hpp>

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

struct Options {
  double beta = 0.3;
  float recoveryRate = 0.1F;
  std::int64_t people = 1000;
  unsigned char classes = 3;
  bool isOpen = true;
  std::string border = "closed";
  std::vector<float> shares{0.1F, 2};
  std::vector<std::string> names{"a", "b"};
  int counter = 7;  ///< no setting
  using Keys =
      mass::Keys<&Options::beta, &Options::recoveryRate, &Options::people, &Options::classes,
                 &Options::isOpen, &Options::border, &Options::shares, &Options::names>;
};

mass::Schema schemaOfOptions() {
  auto schema = mass::Schema::library();
  schema.add<Options>();
  return schema;
}

TEST(Keys, haveTheNamesTypesAndDefaultsOfMembers) {
  const mass::Schema schema = schemaOfOptions();
  const auto is = [&](const std::string& name, const char* type, const char* value) {
    const auto* const key = schema.find(name);
    ASSERT_NE(key, nullptr) << name;
    EXPECT_EQ(key->type(), type);
    EXPECT_EQ(mass::toYaml(key->defaultValue), value);
  };
  is("beta", "number", "0.3");
  is("recovery_rate", "number", "0.1");  // not 0.10000000149011612
  is("people", "integer", "1000");
  is("classes", "integer", "3");
  is("is_open", "true or false", "true");
  is("border", "text", "closed");
  is("shares", "list of numbers", "[0.1, 2]");
  is("names", "list of texts", "[a, b]");
  EXPECT_EQ(schema.find("counter"), nullptr);
}

TEST(Keys, ofAMemberHaveAUnitAMeaningAndARange) {
  auto schema = mass::Schema::library();
  schema.add<&Options::beta>("1/day", "rate of infection").between(0, 2).live();
  const auto& key = *schema.find("beta");
  EXPECT_EQ(key.meaning(), "rate of infection [1/day, 0 to 2, may change during a run]");
}

TEST(Keys, areReadIntoAStructure) {
  mass::Settings settings(schemaOfOptions());
  settings.set("recovery_rate=0.25");
  settings.set("shares=[3, 0.5]");
  settings.set("is_open=false");
  settings.set("border=open");
  const auto options = settings.read<Options>();
  EXPECT_EQ(options.beta, 0.3);
  EXPECT_EQ(options.recoveryRate, 0.25F);
  EXPECT_EQ(options.people, 1000);
  EXPECT_EQ(options.shares, (std::vector<float>{3, 0.5F}));
  EXPECT_FALSE(options.isOpen);
  EXPECT_EQ(options.border, "open");
  EXPECT_EQ(options.counter, 7);
}

TEST(Keys, outOfTheRangeOfAMemberAreTheUsersError) {
  mass::Settings settings(schemaOfOptions());
  settings.set("classes=300");
  EXPECT_THROW(settings.read<Options>(), mass::SettingsError);
  const mass::Settings without{mass::Schema::library()};
  EXPECT_THROW(without.read<Options>(), mass::UsageError);
}

TEST(Keys, areAddedToSettings) {
  mass::Settings settings;
  settings.add({"gain", 0.5, "", "gain"});
  EXPECT_EQ(settings.get<double>("gain"), 0.5);
  settings.set("gain=0.25");
  EXPECT_EQ(settings.get<double>("gain"), 0.25);
  EXPECT_THROW(settings.add({"gain", 0.5, "", "gain"}), mass::UsageError);
  mass::detail::KeyInfo wrong{"loss", 3.0, "", "loss"};
  EXPECT_THROW(settings.add(wrong.between(0, 1)), mass::UsageError);
  EXPECT_EQ(settings.schema().find("loss"), nullptr) << "a refused key is not added";
  EXPECT_EQ(settings.get<double>("gain"), 0.25);
}

TEST(Keys, thatWereAddedAreRenewed) {
  mass::Settings settings(schemaOfOptions());
  settings.set("classes=3");
  mass::detail::KeyInfo gain{"gain", 0.5, "", "gain"};
  settings.renew(gain.live());
  settings.change("gain", 0.25);
  EXPECT_THROW(settings.renew(mass::detail::KeyInfo{"gain", 3.0, "", "gain"}.between(0, 1)),
               mass::UsageError);
  EXPECT_EQ(settings.get<double>("gain"), 0.25) << "a refused key changes nothing";
  settings.renew({"gain", std::int64_t{7}, "", "gain"});
  settings.undoChanges();
  EXPECT_EQ(settings.get<std::int64_t>("gain"), 7);
  settings.renew({"classes", std::int64_t{9}, "", "of the first schema"});
  EXPECT_EQ(settings.get<std::int64_t>("classes"), 3);
}

}  // namespace
