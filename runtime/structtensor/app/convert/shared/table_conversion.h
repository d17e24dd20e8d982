// Converts files without a schema to files of columns: Parquet and Arrow files of others, and JSON with inferred columns.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_TABLE_CONVERSION_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_TABLE_CONVERSION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/app/convert/shared/conversion.h"
#include "structtensor/app/convert/shared/options.h"

namespace structtensor::convert_internal {

enum class TableKind : uint8_t { kColumnFiles, kPlainJson };

// The kind of files that can be read without a schema. Returns nothing if they are messages, if a column file names the message
// type of its rows, or if a column file is too damaged to be opened and `on_damaged_file` leaves it out: leaving out files
// needs a schema. `plain_json`: the user has said that the files are plain JSON.
// Errors: why a file cannot be opened. What is said about a missing schema would be no help then.
absl::StatusOr<std::optional<TableKind>> TableKindOf(const std::vector<std::string>& files, bool plain_json,
                                                     OnDamagedFile on_damaged_file);

// Converts the rows of options.scan.inputs, which are of that kind, to options.output. Column files must all have the same
// columns. The columns of JSON are the columns of all inputs together, which are in memory meanwhile. Broken rows of JSON are
// reported, and left out as on_error says.
// Errors: InvalidArgument for options that need a schema, and for columns that differ or cannot be inferred; why there is no
//   output.
absl::StatusOr<ConversionSummary> ConvertTables(const ConverterOptions& options, TableKind kind);

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_TABLE_CONVERSION_H_
