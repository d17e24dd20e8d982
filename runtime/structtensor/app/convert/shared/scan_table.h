// The rows of a scan as a table that SQL reads.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_SCAN_TABLE_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_SCAN_TABLE_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/io/duckdb/duckdb.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor::convert_internal {

// Each pass is a scan of its own. It decodes the fields of the requested columns only.
class ScanTable : public DuckDbTable {
 public:
  // Errors: those of Scan::Create.
  static absl::StatusOr<std::shared_ptr<ScanTable>> Create(std::shared_ptr<const plan::MessagePlan> message,
                                                           ScanOptions options);

  const StructuredTensor& empty() const override { return empty_; }
  absl::StatusOr<std::unique_ptr<DuckDbRows>> Begin(const std::vector<std::string>& columns) override;

  // kEachTime if all passes see the same rows, whatever columns they read. This is not so if an input is a pipe, or if broken
  // records do not fail the scan: which records are broken depends on the decoded fields.
  DuckDb::Access access() const;

  // About all passes: the first error of closing dead-letter files; the possible reason if a pass could read no message, or "";
  // the times that became null, by field; the values that were dropped, by message type; and the damaged files. Requires: all
  // passes have ended. Passes that decode different columns may drop different values of one type. The counts do not identify
  // values, so the count of a type is the largest of any pass, which may be too small.
  absl::Status closed() const { return closed_; }
  const std::string& reason() const { return reason_; }
  const std::vector<DroppedValues>& dropped_values() const { return dropped_values_; }
  const std::vector<InexactTimes>& inexact_times() const { return inexact_times_; }
  const std::vector<DamagedFile>& damaged_files() const { return damaged_files_; }

 private:
  class Pass;

  ScanTable(std::shared_ptr<const plan::MessagePlan> message, ScanOptions options, std::vector<std::string> fields,
            const Scan& scan);
  void End(Scan& scan);
  // The paths to decode for these columns; empty for all fields.
  std::vector<std::string> FieldsOf(const std::vector<std::string>& columns) const;

  const std::shared_ptr<const plan::MessagePlan> message_;
  const plan::MessagePlan& message_of_rows_;  // part of *message_
  const ScanOptions options_;                 // without a selection
  const std::vector<std::string> fields_;     // canonical paths of selected fields; empty for all
  const StructuredTensor empty_;
  std::mutex mutex_;  // passes end in threads of DuckDB
  absl::Status closed_;
  std::string reason_;
  std::vector<DroppedValues> dropped_values_;
  std::vector<InexactTimes> inexact_times_;
  std::vector<DamagedFile> damaged_files_;
};

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_SCAN_TABLE_H_
