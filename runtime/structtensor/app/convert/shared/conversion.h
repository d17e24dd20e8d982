// One run of a conversion: reads records, writes a file of columns, and reports to the user.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_CONVERSION_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_CONVERSION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/app/convert/shared/options.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"

namespace structtensor::convert_internal {

struct ConversionSummary {
  int64_t rows = 0;
  int64_t broken_records = 0;  // skipped, or set to null
  std::vector<DamagedFile> damaged_files;
  int64_t input_bytes = 0;  // after decompression
  size_t inputs = 0;
  std::optional<int64_t> output_bytes;  // of a file, or of all files of a folder
  std::optional<size_t> output_files;   // of a folder
  double seconds = 0;
  std::vector<ChangedField> changed_fields;
  std::vector<DroppedValues> dropped_values;
  std::vector<InexactTimes> inexact_times;  // none if messages are written, which keep all times
};

// Shows what the options ask for on standard output (on standard error, if the rows go to standard output). Reports broken
// records, progress and the end on standard error.
absl::StatusOr<ConversionSummary> Convert(const ConverterOptions& options, const plan::MessagePlan& message);

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_CONVERSION_H_
