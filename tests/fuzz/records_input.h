// What a string of bytes means to the records fuzzer: a file of records, and how it is to be read.
//
//     byte 0   RecordFormat, modulo 3
//     byte 1   options, see below
//     byte 2   records in a batch: 1 + its value modulo 8
//     byte 3   bytes in a batch: 2 to the power of its value modulo 16
//     byte 4   the largest message: 2 to the power of its value modulo 32, less one, but at least 1
//     then the file
#ifndef STRUCTTENSOR_TESTS_FUZZ_RECORDS_INPUT_H_
#define STRUCTTENSOR_TESTS_FUZZ_RECORDS_INPUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "structtensor/io/records/record_reader.h"

namespace structtensor::testing {

struct RecordsInput {
  enum Option : uint8_t {
    kSkipDamaged = 1,  // RecordReaderOptions::skip_damaged
    kTwice = 2,        // the file is read as two inputs, one after the other
  };
  static constexpr int kOptionBits = 4;  // the last two choose RecordReaderOptions::on_damaged_file

  RecordFormat format = RecordFormat::kDelimited;
  uint8_t options = 0;
  uint8_t batch_messages = 0;
  uint8_t batch_bytes = 0;
  uint8_t message_bytes = 0;
  std::string file;

  OnDamagedFile on_damaged_file() const { return static_cast<OnDamagedFile>((options >> 2) % 4 % 3); }
  size_t max_batch_messages() const { return 1 + batch_messages % 8; }
  size_t max_batch_bytes() const { return size_t{1} << batch_bytes % 16; }
  size_t max_message_bytes() const { return std::max<size_t>(1, (size_t{1} << message_bytes % 32) - 1); }
};

RecordsInput ParseRecordsInput(std::string_view bytes);
std::string SerializeRecordsInput(const RecordsInput& input);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_FUZZ_RECORDS_INPUT_H_
