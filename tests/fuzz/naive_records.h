// A slow and obvious reader of record files, which are wholly in memory. The reader of runtime/records must agree with it. Also
// writes such files.
#ifndef STRUCTTENSOR_TESTS_FUZZ_NAIVE_RECORDS_H_
#define STRUCTTENSOR_TESTS_FUZZ_NAIVE_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "structtensor/io/records/record_reader.h"

namespace structtensor::testing {

struct NaiveRecord {
  bool damaged = false;
  size_t offset = 0;    // of the message, or of the frame if it is damaged, in the uncompressed file
  std::string message;  // empty if it is damaged
};

struct NaiveFile {
  std::vector<NaiveRecord> records;
  // Whether the file is damaged. The last record is then the rest of the file.
  bool damaged = false;
  // After the records: nothing, or something that no reading gets past, whatever the options.
  bool unreadable = false;
};

// The records of `file`, which may be compressed by gzip, zstd or LZ4. The rest of a file that is
// cut off, cannot be decompressed, or has no further record is a damaged record.
NaiveFile ReadNaively(std::string_view file, RecordFormat format, size_t max_message_bytes);

std::string WriteRecords(const std::vector<std::string>& messages, RecordFormat format);
std::string Gzip(std::string_view bytes);
std::string ZstdFrame(std::string_view bytes);
std::string Lz4Frame(std::string_view bytes);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_FUZZ_NAIVE_RECORDS_H_
