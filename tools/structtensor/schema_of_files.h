// The schema that Parquet and Arrow files carry if structtensor has written them.
#ifndef STRUCTTENSOR_TOOLS_STRUCTTENSOR_SCHEMA_OF_FILES_H_
#define STRUCTTENSOR_TOOLS_STRUCTTENSOR_SCHEMA_OF_FILES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/app/schema/schema.h"

namespace structtensor::command {

// The key of a file's metadata whose value is its schema: a FileDescriptorSet in base64.
inline constexpr const char* kDescriptorSetMetadataKey = "structtensor.descriptor_set";

struct SchemaOfFiles {
  Schema schema;
  std::string message;  // the full name of the message type
};

// The schema of several column files: the one that has all fields of the others. Nothing if no file has a schema. Unless
// `on_damaged_file` is kFail, files that are too damaged to be opened are passed over, because the scan reports them; but it
// is an error if no other file has a schema.
// Errors: InvalidArgument if files have rows of different types, or if none of their schemas has all fields of the others;
// DataLoss for damaged files; the errors of opening them.
absl::StatusOr<std::optional<SchemaOfFiles>> FindSchemaOfFiles(const std::vector<std::string>& paths,
                                                               OnDamagedFile on_damaged_file);

// InvalidArgument: the inputs carry no schema, and what to do about it.
absl::Status NoSchemaIn(const std::vector<std::string>& inputs);

}  // namespace structtensor::command

#endif  // STRUCTTENSOR_TOOLS_STRUCTTENSOR_SCHEMA_OF_FILES_H_
