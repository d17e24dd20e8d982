// The records of a scan without a valid message: writes them to dead letters, and counts them against max_errors. Also the
// damaged files of a scan.
#ifndef STRUCTTENSOR_APP_SCAN_INTERNAL_BROKEN_RECORDS_H_
#define STRUCTTENSOR_APP_SCAN_INTERNAL_BROKEN_RECORDS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/io/records/dead_letters.h"
#include "structtensor/io/records/record_reader.h"

namespace structtensor::scan_internal {

class BrokenRecords {
 public:
  // `options` must outlive this object; its inputs are files.
  explicit BrokenRecords(const ScanOptions& options) : options_(options) {}

  // Opens the dead-letter files, if the options name them. Errors: the files cannot be written.
  absl::Status Open();

  // Takes the broken records of one batch, in the order of the input. With OnError::kFail only the first counts.
  // Errors: the scan must end, because of the first record (kFail), because there are too many records, or because dead letters
  //   cannot be written.
  absl::Status Add(const std::vector<BrokenRecord>& records);

  // Takes the damaged files of one batch, in the order of the input, and the beginnings of records that were cut off.
  // Errors: the scan must end, because of the first file (OnDamagedFile::kFail) or because dead letters cannot be written.
  absl::Status AddDamagedFiles(const RecordBatch& batch, const RecordReader& reader);

  // Closes the dead-letter files. Must be called at the end of every scan, also of one that fails. `complete`: whether the scan
  // has read everything. If it has not, and there are no dead letters, existing files stay.
  absl::Status Close(bool complete);

  int64_t count() const { return count_; }
  const std::vector<DamagedFile>& damaged_files() const { return damaged_files_; }

 private:
  absl::Status KeepDeadLetters(std::span<const BrokenRecord> records);

  const ScanOptions& options_;
  std::unique_ptr<DeadLetterWriter> dead_letters_;
  std::string first_;  // what was wrong with the first record
  int64_t count_ = 0;
  std::vector<DamagedFile> damaged_files_;
};

// Errors: InvalidArgument if the options let dead letters or a reserved file replace a file that is read, or dead letters a
// reserved file. Requires: the inputs are files.
absl::Status CheckOutputs(const ScanOptions& options);

// The broken records of a batch, in order: the records whose framing is damaged (but not damaged files), and the records of
// `errors`, whose message_index is an index into `batch.messages()`.
std::vector<BrokenRecord> BrokenRecordsOf(const RecordBatch& batch, const std::vector<MessageError>& errors,
                                          const RecordReader& reader);

}  // namespace structtensor::scan_internal

#endif  // STRUCTTENSOR_APP_SCAN_INTERNAL_BROKEN_RECORDS_H_
