// Record files built in memory, sound or damaged.
#ifndef STRUCTTENSOR_TESTS_RECORDS_RECORDS_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_RECORDS_RECORDS_TESTUTIL_H_

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

#include "structtensor/records/internal/crc32c.h"

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

#endif  // STRUCTTENSOR_TESTS_RECORDS_RECORDS_TESTUTIL_H_
