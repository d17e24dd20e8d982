#include "structtensor/io/column_files/shared/written_columns.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/io/arrow/shared/empty_structs.h"
#include "structtensor/io/column_files/internal/timestamp_seconds.h"

namespace structtensor::column_files_internal {

using arrow_internal::EmptyStructsToBools;
using arrow_internal::HasEmptyStructs;

absl::StatusOr<WrittenColumns> WrittenColumns::Of(FileFormat format, const StructuredTensorSpec& spec) {
  const bool parquet = format == FileFormat::kParquet;
  const bool csv = format == FileFormat::kCsv;
  if (spec.nullable()) return absl::InvalidArgumentError("the rows of a file cannot be absent, but the spec is nullable");
  if ((parquet || csv) && spec.flat_fields().empty()) {
    return absl::InvalidArgumentError(absl::StrCat("the message has no fields, and ", parquet ? "Parquet" : "CSV",
                                                   " cannot store rows without columns; write an Arrow file instead"));
  }
  WrittenColumns columns(spec, (parquet || csv) && HasEmptyStructs(spec), parquet && HasTimestampSeconds(spec));
  if (columns.empty_structs_) columns.spec_ = EmptyStructsToBools(columns.spec_);
  if (columns.timestamp_seconds_) columns.spec_ = TimestampSecondsToMilliseconds(columns.spec_);
  return columns;
}

StructuredTensor WrittenColumns::Of(StructuredTensor batch) const {
  if (empty_structs_) batch = EmptyStructsToBools(batch);
  if (timestamp_seconds_) batch = TimestampSecondsToMilliseconds(batch);
  return batch;
}

}  // namespace structtensor::column_files_internal
