#include "structtensor/app/convert/shared/wire_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "structtensor/core/wire/abi/varint.h"

namespace structtensor {
namespace {

using convert_internal::SummarizeFields;
using convert_internal::WireField;
using ::testing::ElementsAre;

// "number:wire type count bytes" of each field.
std::vector<std::string> Summary(std::string bytes) {
  const size_t size_bytes = bytes.size();
  bytes.append(wire_internal::kReadableSlackBytes, '\xff');
  const std::string_view message = std::string_view(bytes).substr(0, size_bytes);
  std::vector<std::string> lines;
  for (const WireField& field : SummarizeFields(std::vector<std::string_view>{message})) {
    lines.push_back(std::to_string(field.number) + ":" + std::to_string(field.wire_type) + " " + std::to_string(field.count) +
                    " " + std::to_string(field.bytes));
  }
  return lines;
}

TEST(WireSummaryTest, CountsTheBytesOfValues) {
  EXPECT_THAT(Summary("\x08\xac\x02\x08\x05\x12\x03"
                      "abc\x1d"
                      "1234\x21"
                      "12345678"),
              ElementsAre("1:0 2 3", "2:2 1 3", "3:5 1 4", "4:1 1 8"));
  // A tag and a number that are longer than necessary.
  EXPECT_THAT(Summary(std::string("\x88\x80\x00\x85\x00", 5)), ElementsAre("1:0 1 2"));
}

TEST(WireSummaryTest, TheFieldsOfAGroupAreListedBesideIt) {
  EXPECT_THAT(Summary("\x0b\x10\x05\x1b\x20\x06\x1c\x0c"), ElementsAre("1:3 1 0", "2:0 1 1", "3:3 1 0", "4:0 1 1"));
}

TEST(WireSummaryTest, ReadsUpToTheFirstMalformedField) {
  EXPECT_THAT(Summary("\x08\x01\x12\x7f"), ElementsAre("1:0 1 1"));
  EXPECT_THAT(Summary("\x08\x01\x0b\x10"), ElementsAre("1:0 1 1"));
}

}  // namespace
}  // namespace structtensor
