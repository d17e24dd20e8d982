// Record files built in memory, valid or damaged.
#ifndef STRUCTTENSOR_TESTS_IO_RECORDS_RECORDS_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_IO_RECORDS_RECORDS_TESTUTIL_H_

#include <gtest/gtest.h>
#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/io/records/internal/byte_source.h"
#include "structtensor/io/records/internal/crc32c.h"

namespace structtensor {

inline std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

template <typename T>
std::string LittleEndian(T value) {
  std::string bytes;
  for (size_t i = 0; i < sizeof(T); ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  return bytes;
}

inline std::string Delimited(std::string_view message) { return Varint(message.size()) + std::string(message); }

inline std::string TfRecord(std::string_view message) {
  const std::string length = LittleEndian<uint64_t>(message.size());
  return length + LittleEndian(records_internal::MaskCrc32c(records_internal::Crc32c(length))) + std::string(message) +
         LittleEndian(records_internal::MaskCrc32c(records_internal::Crc32c(message)));
}

inline std::string Gzip(std::string_view bytes) {
  z_stream stream = {};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string compressed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  stream.avail_out = static_cast<uInt>(compressed.size());
  deflate(&stream, Z_FINISH);
  compressed.resize(stream.total_out);
  deflateEnd(&stream);
  return compressed;
}

// With a checksum, as the program zstd writes.
inline std::string ZstdFrame(std::string_view bytes) {
  std::string compressed(ZSTD_compressBound(bytes.size()), '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  const size_t size_bytes = ZSTD_compress2(context, compressed.data(), compressed.size(), bytes.data(), bytes.size());
  ZSTD_freeCCtx(context);
  EXPECT_FALSE(ZSTD_isError(size_bytes));
  compressed.resize(size_bytes);
  return compressed;
}

// With a checksum, as the program lz4 writes.
inline std::string Lz4Frame(std::string_view bytes) {
  LZ4F_preferences_t preferences = {};
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  std::string compressed(LZ4F_compressFrameBound(bytes.size(), &preferences), '\0');
  const size_t size_bytes = LZ4F_compressFrame(compressed.data(), compressed.size(), bytes.data(), bytes.size(), &preferences);
  EXPECT_FALSE(LZ4F_isError(size_bytes));
  compressed.resize(size_bytes);
  return compressed;
}

namespace records_internal {

// Delivers a string in pieces of `piece_bytes`, as a pipe may.
class PieceSource : public ByteSource {
 public:
  PieceSource(std::string bytes, size_t piece_bytes) : bytes_(std::move(bytes)), piece_bytes_(piece_bytes) {}

  absl::StatusOr<size_t> Read(char* to, size_t capacity_bytes) override {
    const size_t size_bytes = std::min({capacity_bytes, piece_bytes_, bytes_.size() - position_});
    std::memcpy(to, bytes_.data() + position_, size_bytes);
    position_ += size_bytes;
    return size_bytes;
  }

 private:
  const std::string bytes_;
  const size_t piece_bytes_;
  size_t position_ = 0;
};

// Reads to the end, `capacity_bytes` at a time; what came before an error is left in `text`.
inline absl::Status ReadAllOf(ByteSource& source, size_t capacity_bytes, std::string* text) {
  std::string piece(capacity_bytes, '\0');
  while (true) {
    const absl::StatusOr<size_t> size_bytes = source.Read(piece.data(), piece.size());
    if (!size_bytes.ok()) return size_bytes.status();
    if (*size_bytes == 0) return absl::OkStatus();
    text->append(piece, 0, *size_bytes);
  }
}

}  // namespace records_internal

// A file of the running test, removed with this object.
class TestFile {
 public:
  TestFile(std::string_view name, std::string_view bytes)
      : path_(testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() + "_" + std::string(name)) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TestFile() { std::remove(path_.c_str()); }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_IO_RECORDS_RECORDS_TESTUTIL_H_
