// What the programs of this project have in common, whatever they do.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_PROGRAM_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_PROGRAM_H_

#include <string_view>

#include "absl/functional/function_ref.h"

namespace structtensor::convert_internal {

// Returns the exit code of `run`, the work of the program. To be called once, from main.
//   - Standard descriptors that are closed are occupied, so that no output gets such a number and messages go into it. Reading
//     and writing them fails, as with closed ones.
//   - Signals end the program as InstallSignalHandlers() says.
//   - std::cout writes to pipes that another process has made non-blocking, too. If not all could be written, it is an error.
//   - A lack of memory, here or in a thread of `run`, is an error.
// Messages on standard error begin with `name`.
int RunProgram(std::string_view name, absl::FunctionRef<int()> run);

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_PROGRAM_H_
