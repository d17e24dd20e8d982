#include "structtensor/io/records/internal/codec_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "records_testutil.h"

namespace structtensor::records_internal {
namespace {

using ::testing::HasSubstr;

struct TestedCodec {
  const char* name;
  std::string (*compress)(std::string_view);
  std::unique_ptr<ByteSource> (*make_source)(std::unique_ptr<ByteSource>);
};

class CodecSourceTest : public testing::TestWithParam<TestedCodec> {
 protected:
  static absl::Status Unpack(std::string compressed, std::string* text, size_t piece_bytes = 1 << 20,
                             size_t capacity_bytes = 1000) {
    return ReadAllOf(*GetParam().make_source(std::make_unique<PieceSource>(std::move(compressed), piece_bytes)), capacity_bytes,
                     text);
  }
  static std::string Compress(std::string_view text) { return GetParam().compress(text); }
};

std::string CodecNumbers() {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += std::to_string(i * 7919 % 100003);
  return text;
}

TEST_P(CodecSourceTest, GivesTheUncompressedBytesWhateverThePieces) {
  const std::string compressed = Compress(CodecNumbers());
  for (size_t piece_bytes : {1, 7, 100000}) {
    for (size_t capacity_bytes : {1, 64, 1000000}) {
      std::string text;
      EXPECT_TRUE(Unpack(compressed, &text, piece_bytes, capacity_bytes).ok());
      EXPECT_EQ(text, CodecNumbers());
    }
  }
}

TEST_P(CodecSourceTest, JoinsFrames) {
  for (size_t piece_bytes : {1, 100000}) {
    std::string text;
    EXPECT_TRUE(Unpack(Compress("one ") + Compress("") + Compress("two"), &text, piece_bytes).ok());
    EXPECT_EQ(text, "one two");
  }
  std::string text;
  EXPECT_TRUE(Unpack("", &text).ok());
  EXPECT_EQ(text, "");
}

TEST_P(CodecSourceTest, TruncationAtAnyByteIsDataLoss) {
  const std::string compressed = Compress("a few words, a few words, a few words");
  for (size_t size_bytes = 1; size_bytes < compressed.size(); ++size_bytes) {
    for (size_t piece_bytes : {1, 100000}) {
      std::string text;
      const absl::Status status = Unpack(compressed.substr(0, size_bytes), &text, piece_bytes);
      EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << size_bytes;
      EXPECT_THAT(std::string(status.message()), HasSubstr("ends early"));
    }
  }
}

TEST_P(CodecSourceTest, DamageIsDataLossAndStaysSo) {
  std::string compressed = Compress(CodecNumbers());
  compressed.back() ^= 1;  // in the checksum
  const std::unique_ptr<ByteSource> source = GetParam().make_source(std::make_unique<PieceSource>(compressed, 1 << 20));
  std::string text;
  const absl::Status status = ReadAllOf(*source, 1 << 20, &text);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("stream is damaged ("));
  EXPECT_EQ(text, CodecNumbers());
  EXPECT_EQ(ReadAllOf(*source, 1000, &text), status);

  text.clear();
  EXPECT_EQ(Unpack(Compress("valid") + "rubbish", &text).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(text, "valid");
}

INSTANTIATE_TEST_SUITE_P(Codecs, CodecSourceTest,
                         testing::Values(TestedCodec{"Zstd", ZstdFrame, MakeZstdSource},
                                         TestedCodec{"Lz4", Lz4Frame, MakeLz4Source}),
                         [](const auto& info) { return std::string(info.param.name); });

// As pzstd begins its files.
TEST(ZstdSource, PassesOverSkippableFrames) {
  const std::string skippable("\x50\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
  TestFile file("a.zst", skippable + ZstdFrame("text"));
  const absl::StatusOr<OpenedSource> opened = OpenByteSource(file.path());
  ASSERT_TRUE(opened.ok());
  std::string text;
  EXPECT_TRUE(ReadAllOf(*opened->source, 100, &text).ok());
  EXPECT_EQ(text, "text");
}

// 2 GiB of window in the header of a frame: refused before memory is taken for it.
TEST(ZstdSource, RefusesAWindowThatNeedsTooMuchMemory) {
  const std::string frame("\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00", 9);  // 2^31 bytes of window, an empty last block
  std::string text;
  const absl::Status status = ReadAllOf(*MakeZstdSource(std::make_unique<PieceSource>(frame, 100)), 1000, &text);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("memory"));
}

// The end of a block that did not fit is delivered although the header after it is damaged.
TEST(Lz4Source, DeliversAllOfABlockInFrontOfADamagedHeader) {
  std::string frame = Lz4Frame(CodecNumbers());
  frame.replace(frame.size() - 8, 4, "\xff\xff\xff\x7f");  // in place of the mark of the end: a block that is too large
  for (size_t capacity_bytes : {1, 1000, 50000, 65535, 65536, 1000000}) {
    for (size_t piece_bytes : {1, 1000, 1000000}) {
      std::string text;
      const absl::Status status =
          ReadAllOf(*MakeLz4Source(std::make_unique<PieceSource>(frame, piece_bytes)), capacity_bytes, &text);
      EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
      EXPECT_EQ(text, CodecNumbers()) << capacity_bytes << " " << piece_bytes;
    }
  }
}

}  // namespace
}  // namespace structtensor::records_internal
