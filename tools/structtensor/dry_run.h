// What a conversion would read and write.
#ifndef STRUCTTENSOR_TOOLS_STRUCTTENSOR_DRY_RUN_H_
#define STRUCTTENSOR_TOOLS_STRUCTTENSOR_DRY_RUN_H_

#include <string>

#include "command.h"
#include "structtensor/app/convert/shared/options.h"

namespace structtensor::command {

struct DryRun {
  Json document;     // for --json
  std::string text;  // for people
};

// Looks at the schema, at the first bytes of the inputs, and at the place of the output. Creates nothing.
// Errors: those of the conversion that can be found this way: in options, fields and conditions, inputs that cannot be read,
// and an output that cannot be written or cannot hold the columns.
absl::StatusOr<DryRun> DryRunOf(const convert_internal::ConverterOptions& options, const MessageType& type);

}  // namespace structtensor::command

#endif  // STRUCTTENSOR_TOOLS_STRUCTTENSOR_DRY_RUN_H_
