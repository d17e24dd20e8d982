// The records of the input that could not be converted: who is told of them, where they are kept, and how many are too many.
#ifndef STRUCTTENSOR_CONVERTER_INTERNAL_BROKEN_RECORDS_H_
#define STRUCTTENSOR_CONVERTER_INTERNAL_BROKEN_RECORDS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "structtensor/converter/internal/options.h"
#include "structtensor/decode/decoder.h"
#include "structtensor/records/dead_letters.h"
#include "structtensor/records/record_reader.h"

namespace structtensor::converter_internal {

struct BrokenRecord {
  RecordLocation location;
  std::string_view bytes;    // a view into the record's batch
  int64_t bytes_offset = 0;  // in the input, after decompression
  int64_t byte_offset = 0;   // of the problem, in `bytes`
  std::string field_path;
  std::string problem;
  std::string text;    // all of it, for people: "spans.bin record 3, byte 812, name: ..."
  std::string advice;  // what to do if the conversion ends here
};

class BrokenRecords {
 public:
  explicit BrokenRecords(const ConverterOptions& options) : options_(options) {}

  // Opens the dead-letter files, if they are wanted. Errors: they cannot be written, or are inputs or the output of the
  // command.
  absl::Status Open();

  // Takes the broken records of one batch, in the order of the input. With --on-error=fail only the first counts.
  // Errors: the conversion is to end: because of the first record (--on-error=fail), because there are too many, or because
  //   dead letters cannot be written.
  absl::Status Add(const std::vector<BrokenRecord>& records);

  // Closes the dead-letter files. To be called at the end of every conversion, also of one that fails.
  absl::Status Close();

  // Says how many there were beyond those that were told as they came.
  void FinishList() const;
  int64_t count() const { return count_; }
  // What became of them: "skipped", or "set to null".
  std::string_view verb() const;

 private:
  absl::Status KeepDeadLetters(std::span<const BrokenRecord> records);

  const ConverterOptions& options_;
  std::unique_ptr<DeadLetterWriter> dead_letters_;
  std::string first_;  // what was wrong with the first record
  int64_t count_ = 0;
};

// The broken records of a batch, in order: those whose framing is damaged, and those of `errors`, whose message_index counts
// `batch`'s messages.
std::vector<BrokenRecord> BrokenRecordsOf(const RecordBatch& batch, const std::vector<MessageError>& errors,
                                          const RecordReader& reader);

}  // namespace structtensor::converter_internal

#endif  // STRUCTTENSOR_CONVERTER_INTERNAL_BROKEN_RECORDS_H_
