// The options of the operation StructtensorDecode: "name=value" strings in an attribute, so that a saved model contains them.
#ifndef STRUCTTENSOR_INTEGRATIONS_TENSORFLOW_DECODE_OPTIONS_H_
#define STRUCTTENSOR_INTEGRATIONS_TENSORFLOW_DECODE_OPTIONS_H_

#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "structtensor/app/scan/row_options.h"

namespace structtensor::tensorflow {

// The names are those of the Python package (docs/options.md); `select` and `drop` may come several times. Without options,
// optional fields are dimensions of 0 or 1, and a message type below itself is kept as bytes.
// Errors: InvalidArgument for an unknown name, and for a value that the option does not have.
absl::StatusOr<RowOptions> ParseDecodeOptions(std::span<const std::string> options);

}  // namespace structtensor::tensorflow

#endif  // STRUCTTENSOR_INTEGRATIONS_TENSORFLOW_DECODE_OPTIONS_H_
