#include "structtensor/core/base/shared/printable_path.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include "structtensor/core/base/internal/utf8_sequence.h"

namespace structtensor::base_internal {
namespace {

TEST(PrintablePathTest, OrdinaryPathsStayWhatTheyAre) {
  for (const char* path : {"", "day.pb", "/data/t\xc3\xa4glich/\xe6\x97\xa5.pb", "s3://bucket/a b.pb", "a\\b", "a\\x", "a\\xf",
                           "C:\\xyz", "a\\", "\\\\", "a\\xFF", "\xf0\x9f\x98\x80"}) {
    EXPECT_EQ(PrintablePath(path), path);
  }
}

TEST(PrintablePathTest, OtherBytesAreHexadecimal) {
  EXPECT_EQ(PrintablePath("a\n.pb"), "a\\x0a.pb");
  EXPECT_EQ(PrintablePath("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(PrintablePath("a\xff.pb"), "a\\xff.pb");
  EXPECT_EQ(PrintablePath("\xe6\x97"), "\\xe6\\x97");  // a character that is cut off
  EXPECT_EQ(PrintablePath("\xc2\x9b"), "\\xc2\\x9b");  // U+009B begins escape codes, too
  EXPECT_EQ(PrintablePath("a\xe2\x80\xae"
                          "bp."),
            "a\\xe2\\x80\\xae"
            "bp.");                                                                  // U+202E
  EXPECT_EQ(PrintablePath("\xe2\x80\xa7\xe2\x81\xa5"), "\xe2\x80\xa7\xe2\x81\xa5");  // the characters beside those
  EXPECT_EQ(PrintablePath("\xed\xa0\x80"), "\\xed\\xa0\\x80");                       // a surrogate
  EXPECT_EQ(PrintablePath("a\\xff"), "a\\x5cxff");
}

// The reverse of PrintablePath, as docs/formats.md describes it.
std::string PathOf(const std::string& printable) {
  std::string path;
  for (size_t i = 0; i < printable.size(); ++i) {
    const std::string digits = printable.substr(i, 2) == "\\x" ? printable.substr(i + 2, 2) : "";
    if (digits.size() == 2 && digits.find_first_not_of("0123456789abcdef") == std::string::npos) {
      path += static_cast<char>(std::strtol(digits.c_str(), nullptr, 16));
      i += 3;
    } else {
      path += printable[i];
    }
  }
  return path;
}

TEST(PrintablePathTest, DifferentPathsStayDifferent) {
  std::mt19937 random(7);
  const std::string kPieces[] = {"\\", "x", "f", "5", "c", "F", "\xff", "\n", "\xc2\x80", "\xc3\xa4", "\\xff", "\xe2\x80", "a"};
  for (int i = 0; i < 100'000; ++i) {
    std::string path;
    for (size_t pieces = random() % 8; pieces > 0; --pieces) path += kPieces[random() % std::size(kPieces)];
    const std::string printable = PrintablePath(path);
    ASSERT_EQ(PathOf(printable), path) << printable;
    for (std::string_view rest = printable; !rest.empty();) {
      const bool ascii = static_cast<unsigned char>(rest[0]) < 0x80;
      const size_t size = ascii ? 1 : Utf8SequenceSizeBytes(rest);
      ASSERT_GT(size, 0u) << printable;
      ASSERT_TRUE(!ascii || (rest[0] >= ' ' && rest[0] != '\x7f')) << printable;
      rest.remove_prefix(size);
    }
  }
}

TEST(PrintablePathTest, MessagesKeepTheirLines) {
  EXPECT_EQ(WithoutControlCharacters("a\n\tb\x1b[31m\xff\\x1b \xc2\x9b \xc3\xa4"),
            "a\n\tb\\x1b[31m\xff\\x1b \\xc2\\x9b \xc3\xa4");
}

}  // namespace
}  // namespace structtensor::base_internal
