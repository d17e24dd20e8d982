#include "structtensor/app/sinks/internal/spill_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>

namespace structtensor::sinks_internal {
namespace {

using ::testing::HasSubstr;

std::string AllBytesOf(const SpilledBytes& bytes, const SpillFile& file) {
  std::string all;
  const absl::Status status = bytes.ForEachPiece(file, [&](std::string_view piece) {
    all += piece;
    return absl::OkStatus();
  });
  EXPECT_EQ(status, absl::OkStatus());
  return all;
}

TEST(SpillFileTest, ArraysThatGrowSideBySideStayApart) {
  std::mt19937 random(7);
  SpillFile file(testing::TempDir());
  SpilledBytes one;
  SpilledBytes other;
  std::string expected_one;
  std::string expected_other;
  for (const size_t size_bytes : {1, 0, 65'536, 1, 65'535, 65'537, 3'000'000, 5, 200'000, 70'000, 64'000}) {
    std::string bytes(size_bytes, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    ASSERT_EQ(one.Append(bytes, file), absl::OkStatus());
    expected_one += bytes;
    ASSERT_EQ(other.Append(bytes.substr(0, size_bytes / 3), file), absl::OkStatus());
    expected_other += bytes.substr(0, size_bytes / 3);
  }
  EXPECT_EQ(one.size_bytes(), static_cast<int64_t>(expected_one.size()));
  EXPECT_TRUE(AllBytesOf(one, file) == expected_one);
  EXPECT_TRUE(AllBytesOf(other, file) == expected_other);
  EXPECT_EQ(one.crc32(), Crc32(expected_one));
  EXPECT_EQ(Crc32OfBoth(one.crc32(), other.crc32(), other.size_bytes()), Crc32(expected_one + expected_other));
}

TEST(SpillFileTest, ChecksumsAreThoseOfZip) {
  EXPECT_EQ(Crc32("123456789"), 0xcbf43926);  // https://reveng.sourceforge.io/crc-catalogue, CRC-32/ISO-HDLC
  EXPECT_EQ(Crc32("6789", Crc32(std::string_view(), Crc32("12345"))), 0xcbf43926);
  EXPECT_EQ(Crc32OfBoth(Crc32("12345"), Crc32(""), 0), Crc32("12345"));
}

TEST(SpillFileTest, LittleMakesNoFile) {
  SpillFile file("/absent");
  SpilledBytes bytes;
  EXPECT_EQ(bytes.Append(std::string(65'536, 'x'), file), absl::OkStatus());
  EXPECT_EQ(AllBytesOf(bytes, file).size(), 65'536);
  const absl::Status status = bytes.Append("x", file);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot make a temporary file in /absent"));
}

TEST(SpillFileTest, HasNoName) {
  std::string folder = testing::TempDir() + "spill_file_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  SpillFile file(folder);
  EXPECT_EQ(*file.Append("abc"), 0);
  EXPECT_EQ(*file.Append("d"), 3);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::string read(2, ' ');
  EXPECT_EQ(file.Read(2, 2, read.data()), absl::OkStatus());
  EXPECT_EQ(read, "cd");
  EXPECT_FALSE(file.Read(3, 2, read.data()).ok());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace structtensor::sinks_internal
