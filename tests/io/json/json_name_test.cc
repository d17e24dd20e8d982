#include "structtensor/io/json/internal/json_name.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace structtensor::json_internal {
namespace {

// Whether the name is `raw` in a text that continues with `rest` and ends there.
bool Is(const std::string& name, std::string_view raw, std::string_view rest) {
  std::string text = std::string(raw) + std::string(rest);
  text.shrink_to_fit();
  return JsonName(name).Is({text.data(), raw.size()}, text.size());
}

TEST(JsonNameTest, NamesOfEveryLength) {
  for (const std::string_view rest : {"", "\":1", "\": 12345678"}) {
    for (size_t size = 0; size <= 40; ++size) {
      std::string name(size, 'a');
      for (size_t i = 0; i < size; ++i) name[i] = static_cast<char>('a' + i % 26);
      EXPECT_TRUE(Is(name, name, rest)) << name;
      EXPECT_FALSE(Is(name, name + "x", rest)) << name;
      for (size_t i = 0; i < size; ++i) {
        std::string other = name;
        other[i] = '_';
        EXPECT_FALSE(Is(name, other, rest)) << name << ' ' << other;
      }
    }
  }
}

// JSON has such a name with escapes. Text that looks like the name is another name.
TEST(JsonNameTest, NamesThatNeedEscapesAreNeverTheSame) {
  EXPECT_FALSE(Is("a\\nb", "a\\nb", "\":1234567"));
  EXPECT_FALSE(Is("say \"a\"", "say \\\"a\\\"", "\":1234567"));
}

}  // namespace
}  // namespace structtensor::json_internal
