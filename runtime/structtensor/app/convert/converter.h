// The command around a generated decoder: reads messages and writes a file of columns.
//
// A converter's main is one call, which structtensor_add_converter of the CMake package writes.
#ifndef STRUCTTENSOR_APP_CONVERT_CONVERTER_H_
#define STRUCTTENSOR_APP_CONVERT_CONVERTER_H_

#include <string_view>

#include "structtensor/core/plan/plan.h"

namespace structtensor {

// Runs the command for messages of type `message`, which generated code provides, and returns its exit code (see options.h).
// Its messages begin with `program_name`. To be called once, from main: it handles signals and uses the standard streams.
int ConverterMain(int argc, char** argv, const plan::MessagePlan& message, std::string_view program_name);

}  // namespace structtensor

#endif  // STRUCTTENSOR_APP_CONVERT_CONVERTER_H_
