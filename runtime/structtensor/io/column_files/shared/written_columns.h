// The columns of a batch as a file stores them. Does not use the Arrow library.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_SHARED_WRITTEN_COLUMNS_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_SHARED_WRITTEN_COLUMNS_H_

#include <utility>

#include "absl/status/statusor.h"
#include "structtensor/io/column_files/column_file.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor::column_files_internal {

// The columns of a file: the columns of a spec, with replacements for types that the format does not have.
class WrittenColumns {
 public:
  // Errors: InvalidArgument if rows of `spec` may be absent, or, for Parquet and CSV, if it has no fields.
  static absl::StatusOr<WrittenColumns> Of(FileFormat format, const StructuredTensorSpec& spec);

  const StructuredTensorSpec& spec() const { return spec_; }

  // Returns the columns of `batch` as they are written. `batch` has the spec that the file was opened with.
  StructuredTensor Of(StructuredTensor batch) const;

 private:
  WrittenColumns(StructuredTensorSpec spec, bool empty_structs, bool timestamp_seconds)
      : spec_(std::move(spec)), empty_structs_(empty_structs), timestamp_seconds_(timestamp_seconds) {}

  StructuredTensorSpec spec_;
  bool empty_structs_;
  bool timestamp_seconds_;
};

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_SHARED_WRITTEN_COLUMNS_H_
