// The values in the names of folders: title=bread/part-0.parquet has rows of title "bread", as app/sinks/partitioned_sink.h
// writes them.
#ifndef STRUCTTENSOR_APP_CONVERT_INTERNAL_PARTITION_VALUES_H_
#define STRUCTTENSOR_APP_CONVERT_INTERNAL_PARTITION_VALUES_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::convert_internal {

// Returns the values of a file's partition columns as a serialized message of type `message`. Appended to any message of the
// type, it sets these fields, as protobuf merges messages. "" if the file is not in the folders that it was written to.
//   path          of the file
//   partition_by  the value of kPartitionByMetadataKey in the file
//   ignore_extra  whether columns that are not fields of the type are ignored
// Errors: InvalidArgument for such a column, DataLoss for a value that its field cannot have. Messages do not name the file.
absl::StatusOr<std::string> PartitionValuesOf(const std::string& path, std::string_view partition_by,
                                              const plan::MessagePlan& message, bool ignore_extra);

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_INTERNAL_PARTITION_VALUES_H_
