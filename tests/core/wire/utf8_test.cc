#include "structtensor/core/wire/abi/utf8.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

#include "naive_varint.h"

namespace structtensor::testing {
namespace {

// RFC 3629, one character at a time.
bool NaiveIsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto at = [&](size_t k) { return i + k < text.size() ? static_cast<uint8_t>(text[i + k]) : 0u; };
    const uint32_t lead = at(0);
    const size_t size = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
    if (size == 0) return false;
    uint32_t code = size == 1 ? lead : lead & (0x7fu >> size);
    for (size_t k = 1; k < size; ++k) {
      if (at(k) >> 6 != 2) return false;
      code = code << 6 | (at(k) & 0x3f);
    }
    constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kSmallest[size] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return false;
    i += size;
  }
  return true;
}

bool IsUtf8(std::string_view text) {
  // The bytes after the string do not matter.
  const std::string high = WithSlack(text, '\xff');
  const std::string low = WithSlack(text, 'a');
  const bool result = wire_internal::IsUtf8(Begin(high), text.size());
  EXPECT_EQ(wire_internal::IsUtf8(Begin(low), text.size()), result);
  return result;
}

TEST(Utf8Test, KnownCases) {
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_TRUE(IsUtf8(std::string_view("\0", 1)));
  EXPECT_TRUE(IsUtf8("\u00e9\u20ac\U0010ffff"));
  EXPECT_FALSE(IsUtf8("\xc0\x80"));          // over-long
  EXPECT_FALSE(IsUtf8("\xed\xa0\x80"));      // a surrogate
  EXPECT_FALSE(IsUtf8("\xf4\x90\x80\x80"));  // above U+10FFFF
  EXPECT_FALSE(IsUtf8("abcdefg\xc3"));       // cut off
  EXPECT_FALSE(IsUtf8("\x80"));
}

TEST(Utf8Test, EveryTwoByteString) {
  for (int i = 0; i < 65536; ++i) {
    const char bytes[] = {static_cast<char>(i >> 8), static_cast<char>(i)};
    ASSERT_EQ(IsUtf8({bytes, 2}), NaiveIsUtf8({bytes, 2})) << i;
  }
}

TEST(Utf8Test, OneWrongByteAtEachPositionOfEachLength) {
  for (size_t size = 1; size <= 100; ++size) {
    for (size_t position = 0; position < size; ++position) {
      std::string text(size, 'a');
      ASSERT_TRUE(IsUtf8(text));
      text[position] = '\x80';
      ASSERT_FALSE(IsUtf8(text)) << position << " of " << size;
    }
  }
}

TEST(Utf8Test, RandomStringsOfAllLengths) {
  static constexpr const char* kParts[] = {"a",      "~",      "\u00e9", "\u07ff",     "\u0800",
                                           "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff"};
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (size_t n = random() % 40; n > 0; --n) text += kParts[random() % (random() % 2 == 0 ? 2 : std::size(kParts))];
    if (!text.empty() && random() % 2 == 0) text[random() % text.size()] = static_cast<char>(random());
    ASSERT_EQ(IsUtf8(text), NaiveIsUtf8(text)) << round;
  }
}

}  // namespace
}  // namespace structtensor::testing
