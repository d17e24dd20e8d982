// The parameters of --structtensor_opt.
#ifndef STRUCTTENSOR_COMPILER_OPTIONS_H_
#define STRUCTTENSOR_COMPILER_OPTIONS_H_

#include <string>

#include "absl/status/statusor.h"

namespace structtensor::compiler {

struct Options {
  // extensions=drop leaves extensions to the unknown fields.
  bool extensions = true;
  // converter=pkg.Message also writes converter_main.structtensor.cc, the main of a command that converts files of such
  // messages.
  std::string converter;
  // warnings=off prints no warnings on standard error.
  bool warnings = true;
};

// Parses "name=value,name=value". Errors: InvalidArgument for an unknown name or value; the message lists the known ones.
absl::StatusOr<Options> ParseOptions(const std::string& parameter);

}  // namespace structtensor::compiler

#endif  // STRUCTTENSOR_COMPILER_OPTIONS_H_
