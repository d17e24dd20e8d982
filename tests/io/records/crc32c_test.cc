#include "structtensor/io/records/internal/crc32c.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace structtensor::records_internal {
namespace {

// Source of the values: RFC 3720, B.4.
TEST(Crc32c, HasThePublishedValues) {
  for (auto crc32c : {Crc32c, Crc32cPortable}) {
    EXPECT_EQ(crc32c(""), 0u);
    EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
    EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
    EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  }
}

TEST(Crc32c, IsTheSameByTablesAndByInstruction) {
  std::mt19937 random(7);
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(Crc32c(bytes), Crc32cPortable(bytes)) << bytes.size() << " bytes";
    bytes.push_back(static_cast<char>(random()));
  }
}

TEST(Crc32c, MaskRotatesAndAdds) {
  EXPECT_EQ(MaskCrc32c(0), 0xa282ead8u);
  EXPECT_EQ(MaskCrc32c(0xe3069283u), 0xc78ab0e5u);
}

}  // namespace
}  // namespace structtensor::records_internal
