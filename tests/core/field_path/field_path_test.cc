#include "structtensor/core/field_path/field_path.h"

#include <random>
#include <string>
#include <vector>

#include "absl/hash/hash.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;
using Step = Path::Step;

Path Parsed(std::string_view text) {
  const absl::StatusOr<Path> path = Path::Parse(text);
  EXPECT_TRUE(path.ok()) << path.status();
  return path.ok() ? *path : Path();
}

std::string ErrorOf(std::string_view text) {
  const absl::StatusOr<Path> path = Path::Parse(text);
  EXPECT_EQ(path.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(path.status().message());
}

TEST(Path, NamesAreSeparatedByDots) {
  EXPECT_EQ(Parsed("a.b_2.c-d"), (Path{"a", "b_2", "c-d"}));
  EXPECT_EQ(Parsed("straße.名前"), (Path{"straße", "名前"}));
  EXPECT_EQ(Parsed(""), Path());
}

TEST(Path, BracketsHoldPositionsKeysAndStars) {
  const Path path = Parsed(R"([1].a[-2]["en\"v"][*].b)");
  EXPECT_EQ(path,
            Path({Step::Index(1), Step::Field("a"), Step::Index(-2), Step::Key("en\"v"), Step::Elements(), Step::Field("b")}));
  EXPECT_EQ(Parsed("*.a.*"), Path({Step::AnyField(), Step::Field("a"), Step::AnyField()}));
}

Path Named(const std::vector<std::string>& names) { return Path::FromNames(names); }

TEST(Path, ExtensionsStandInBrackets) {
  const Path path({Step::Field("a"), Step::Field("[my.pkg.ext]"), Step::Field("b")});
  EXPECT_EQ(Parsed("a.[my.pkg.ext].b"), path);
  EXPECT_EQ(path.ToString(), "a.[my.pkg.ext].b");
  EXPECT_EQ(Parsed("[ext]"), Path({Step::Field("[ext]")}));
  EXPECT_EQ(Parsed("[_p.e2][2]"), Path({Step::Field("[_p.e2]"), Step::Index(2)}));
  EXPECT_EQ(Named({"[p.2]", "[p-q]", "[]", "[p"}).ToString(), R"("[p.2]"."[p-q]"."[]"."[p")");
}

TEST(Path, IntegersAboveInt64AreKeys) {
  EXPECT_EQ(Parsed("m[9223372036854775807]"), Path({Step::Field("m"), Step::Index(INT64_MAX)}));
  EXPECT_EQ(Parsed("m[18446744073709551615]"), Path({Step::Field("m"), Step::Key("18446744073709551615")}));
  EXPECT_EQ(Parsed("m[18446744073709551615]").ToString(), R"(m["18446744073709551615"])");
}

TEST(Path, BooleansAreKeys) {
  EXPECT_EQ(Parsed("m[true].x[false]"), Path({Step::Field("m"), Step::Key("true"), Step::Field("x"), Step::Key("false")}));
  EXPECT_EQ(Parsed("m[true]").ToString(), R"(m["true"])");
  // Where a name may be, brackets hold an extension.
  EXPECT_EQ(Parsed("[true].[false]"), (Path{"[true]", "[false]"}));
  for (const char* text : {"m[True]", "m[truely]", "m[true", "m[true.x]", "m[ true]", "m[true ]", "m[tru]"}) ErrorOf(text);
}

TEST(Path, OddNamesStandInQuotes) {
  EXPECT_EQ(Parsed(R"("a.b"."c d")"), Named({"a.b", "c d"}));
  EXPECT_EQ(Parsed(R"("\"\\\n\r\t\x7F")"), Named({"\"\\\n\r\t\x7f"}));
  EXPECT_EQ(Named({"a b", "x\ny", "[1.]", "*"}).ToString(), R"("a b"."x\ny"."[1.]"."*")");
}

TEST(Path, TextIsParsed) {
  EXPECT_EQ(Path("a.b[0]"), Parsed("a.b[0]"));
  EXPECT_EQ(Path(std::string("a.b")), (Path{"a", "b"}));
  EXPECT_EQ((Path{"a.b", "\"c.d\""}), Named({"a", "b", "c.d"}));
  EXPECT_EQ(Path(""), Path());
  const Path malformed("a..b");
  ASSERT_EQ(malformed.size(), 1u);
  EXPECT_EQ(malformed[0], Step::Malformed("a..b"));
  EXPECT_EQ(malformed.ToString(), "a..b");
}

TEST(Path, ErrorsPointAtThePlace) {
  EXPECT_EQ(
      ErrorOf("a..b"),
      "field path, character 3: expected a name, '*', an extension as in [package.name] or a name in double quotes after '.'\n"
      "  a..b\n"
      "    ^");
  EXPECT_EQ(
      ErrorOf("größe[x]"),
      "field path, character 7: expected an integer, true, false, a key in double quotes or '*'; extensions follow a dot: "
      ".[package.name]\n"
      "  größe[x]\n"
      "        ^");
  EXPECT_THAT(ErrorOf("a.\"b"), HasSubstr("not closed\n  a.\"b\n    ^"));
  EXPECT_THAT(ErrorOf("a."), HasSubstr("\n  a.\n    ^"));
  EXPECT_THAT(ErrorOf("a[1"), HasSubstr("expected ']'\n  a[1\n     ^"));
  EXPECT_THAT(ErrorOf("a b"), HasSubstr("\n  a b\n   ^"));
  EXPECT_THAT(ErrorOf("a.\"\""), HasSubstr("must not be empty"));
  EXPECT_THAT(ErrorOf(R"(a."\q")"), HasSubstr("unknown escape"));
  EXPECT_THAT(ErrorOf("a[99999999999999999999]"), HasSubstr("at most 64 bits\n  a[999"));
  EXPECT_THAT(ErrorOf("[a..b]"), HasSubstr("full name of an extension"));
  EXPECT_THAT(ErrorOf("[a.b"), HasSubstr("'[' without ']'"));
  EXPECT_THAT(ErrorOf("a,b"), HasSubstr("a comma does not separate paths, so give each one on its own"));
  for (const char* text : {".a", "a[]", "a]", "[", "(", "(a.b)", "[a.b", "a.[0]", "[a.0]", "a[b]", "a*", "\"", "a[\"k\"",
                           "a[-]", "a\nb", "[*", "()"})
    ErrorOf(text);
}

TEST(Path, LongTextIsShownAroundThePlace) {
  const std::string name(500, 'n');
  EXPECT_EQ(ErrorOf(name + "!" + name),
            "field path, character 501: expected '.', '[' or the end; a name with other characters needs double quotes\n"
            "  …" +
                std::string(60, 'n') + "!" + std::string(39, 'n') + "…\n" + std::string(63, ' ') + "^");
}

TEST(Path, WhatIsPrintedIsReadAsTheSamePath) {
  std::mt19937 random(7);
  const std::string letters = "ab._-\"\\[]()*0 \n\x01\xc3\xa9\xff";
  const auto text = [&] {
    std::string out(1 + random() % 4, ' ');
    for (char& c : out) c = letters[random() % letters.size()];
    return out;
  };
  for (int round = 0; round < 5000; ++round) {
    std::vector<Step> steps;
    for (size_t size = random() % 4; steps.size() < size;) {
      switch (random() % 6) {
        case 0:
          steps.push_back(Step::Index(static_cast<int64_t>(random()) - (int64_t{1} << 31)));
          break;
        case 1:
          steps.push_back(Step::Key(text()));
          break;
        case 2:
          steps.push_back(random() % 2 == 0 ? Step::AnyField() : Step::Elements());
          break;
        case 3:
          steps.push_back(Step::Field("[" + text() + "]"));
          break;
        default:
          steps.push_back(Step::Field(text()));
      }
    }
    const Path path(steps);
    const absl::StatusOr<Path> read = Path::Parse(path.ToString());
    ASSERT_TRUE(read.ok()) << path.ToString() << "\n" << read.status();
    EXPECT_EQ(*read, path) << path.ToString();
  }
}

TEST(Path, AnyBytesAreReadOrRefused) {
  std::mt19937 random(11);
  const std::string letters = "a.[]()\"\\x*-1_\x80 \n";
  for (int round = 0; round < 20000; ++round) {
    std::string text(random() % 12, ' ');
    for (char& c : text) c = letters[random() % letters.size()];
    const absl::StatusOr<Path> path = Path::Parse(text);
    if (!path.ok()) continue;
    EXPECT_EQ(*Path::Parse(path->ToString()), *path) << text;
  }
}

TEST(Path, ParentsChildrenAndPrefixes) {
  const Path path = Parsed("a.b[0].c");
  EXPECT_EQ(path.size(), 4u);
  EXPECT_EQ(path.back(), Step::Field("c"));
  EXPECT_EQ(path.Parent(), Parsed("a.b[0]"));
  EXPECT_EQ(path.Parent().Child("c"), path);
  EXPECT_EQ(path.Prefix(0), Path());
  EXPECT_EQ(path.Prefix(2).Child(Step::Key("k")), Parsed("a.b[\"k\"]"));
  EXPECT_TRUE(path.StartsWith(Parsed("a.b")));
  EXPECT_TRUE(path.StartsWith(path));
  EXPECT_TRUE(path.StartsWith(Path()));
  EXPECT_FALSE(path.StartsWith(Parsed("a.c")));
  EXPECT_FALSE(Parsed("a").StartsWith(path));
}

TEST(Path, EqualPathsHashEqually) {
  EXPECT_EQ(absl::Hash<Path>()(Parsed("a.b.c").Parent()), absl::Hash<Path>()(Path{"a", "b"}));
  EXPECT_FALSE(Parsed("a[0]") == Parsed("a[\"0\"]"));
  EXPECT_FALSE(Parsed("a") == Parsed("a.b"));
  EXPECT_FALSE(Parsed("*") == Parsed("[*]"));
}

}  // namespace
}  // namespace structtensor
