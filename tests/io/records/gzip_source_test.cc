#include "structtensor/io/records/internal/gzip_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "records_testutil.h"

namespace structtensor::records_internal {
namespace {

using ::testing::HasSubstr;

absl::Status Unpack(std::string compressed, std::string* text, size_t piece_bytes = 1 << 20, size_t capacity_bytes = 1000) {
  return ReadAllOf(*MakeGzipSource(std::make_unique<PieceSource>(std::move(compressed), piece_bytes)), capacity_bytes, text);
}

std::string Numbers() {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i * i);
  return text;
}

TEST(GzipSource, GivesTheUncompressedBytesWhateverThePieces) {
  const std::string compressed = Gzip(Numbers());
  for (size_t piece_bytes : {1, 7, 100000}) {
    for (size_t capacity_bytes : {1, 64, 1000000}) {
      std::string text;
      EXPECT_TRUE(Unpack(compressed, &text, piece_bytes, capacity_bytes).ok());
      EXPECT_EQ(text, Numbers());
    }
  }
}

TEST(GzipSource, JoinsMembersAndStepsOverPadding) {
  for (size_t piece_bytes : {1, 100000}) {
    std::string text;
    EXPECT_TRUE(
        Unpack(Gzip("one ") + Gzip("") + std::string(5, '\0') + Gzip("two") + std::string(9, '\0'), &text, piece_bytes).ok());
    EXPECT_EQ(text, "one two");
  }
}

TEST(GzipSource, TruncationAtAnyByteIsDataLoss) {
  const std::string compressed = Gzip("a few words, a few words");
  for (size_t size_bytes = 1; size_bytes < compressed.size(); ++size_bytes) {
    std::string text;
    const absl::Status status = Unpack(compressed.substr(0, size_bytes), &text);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << size_bytes;
    EXPECT_THAT(std::string(status.message()), HasSubstr("ends early"));
  }
}

TEST(GzipSource, DamageIsDataLossAfterTheBytesBeforeIt) {
  std::string compressed = Gzip(Numbers());
  compressed[compressed.size() - 6] ^= 1;  // in the checksum
  std::string text;
  const absl::Status status = Unpack(compressed, &text);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("incorrect data check"));
  EXPECT_EQ(text, Numbers());

  text.clear();
  EXPECT_EQ(Unpack(Gzip("valid") + "rubbish", &text).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(text, "valid");
}

}  // namespace
}  // namespace structtensor::records_internal
