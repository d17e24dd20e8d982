// A conversion without a schema: Parquet and Arrow files of others, and JSON whose columns are inferred, to files of columns.
#ifndef STRUCTTENSOR_CONVERTER_INTERNAL_TABLE_CONVERSION_H_
#define STRUCTTENSOR_CONVERTER_INTERNAL_TABLE_CONVERSION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/converter/internal/conversion.h"
#include "structtensor/converter/internal/options.h"

namespace structtensor::converter_internal {

enum class TableKind : uint8_t { kColumnFiles, kPlainJson };

// What files are that can be read without a schema; nothing if they are messages, or a column file says what messages its rows
// are. `plain_json`: somebody has said that they are.
std::optional<TableKind> TableKindOf(const std::vector<std::string>& files, bool plain_json);

// Converts the rows of options.scan.inputs, which are of that kind, to options.output. Of files all have the same columns; the
// columns of JSON are those of all inputs together, which are in memory meanwhile. Broken rows of JSON are told, and left out,
// as on_error says.
// Errors: InvalidArgument for options that need a schema, and for columns that differ or cannot be inferred; why there is no
//   output.
absl::StatusOr<ConversionSummary> ConvertTables(const ConverterOptions& options, TableKind kind);

}  // namespace structtensor::converter_internal

#endif  // STRUCTTENSOR_CONVERTER_INTERNAL_TABLE_CONVERSION_H_
