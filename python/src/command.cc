// The command `structtensor`.
#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "bindings.h"
#include "command_line.h"
#include "convert.h"
#include "interpreter_lock.h"

namespace structtensor::python {
namespace {

// `arguments`: bytes, beginning with the command's name. Returns the exit code.
int RunCommand(nb::list arguments) {
  std::vector<std::string> strings;
  for (const nb::handle argument : arguments) {
    std::vector<nb::object> kept;
    strings.emplace_back(BytesOf(argument, "an argument", kept));
  }
  std::vector<char*> argv;
  for (std::string& text : strings) argv.push_back(text.data());
  argv.push_back(nullptr);
  const WithoutInterpreterLock unlocked;
  return command::RunCommandLine(static_cast<int>(strings.size()), argv.data());
}

}  // namespace

void BindCommand(nb::module_& module) { module.def("_run_command", RunCommand); }

}  // namespace structtensor::python
